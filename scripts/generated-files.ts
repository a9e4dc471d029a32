import { systemdUnit, UNIT_FILE } from '#fleet/export/systemd.ts'
import { adrIndex } from './adr-index.ts'
import { blockRulesReference } from './block-rules-reference.ts'
import { cliReference } from './cli-reference.ts'
import { doctorReference } from './doctor-reference.ts'
import { engineCasesReference } from './engine-cases-reference.ts'
import { generateRpc } from './generate-rpc.ts'
import { logReference } from './log-reference.ts'
import { metricsReference } from './metrics-reference.ts'
import { optionTypes } from './option-types.ts'
import { signerReference } from './signer-reference.ts'
import { troubleshooting } from './troubleshooting.ts'
import { alertFiles } from './watching/alert-rules.ts'
import { grafanaFiles } from './watching/grafana.ts'

export interface GeneratedFile {
  readonly path: string
  readonly content: string
}

/** All files in the repository that are generated from declarations. */
export async function generatedFiles(): Promise<GeneratedFile[]> {
  // First, because help texts name the APIs of the methods found.
  const rpc = await generateRpc()
  return [
    await cliReference(),
    optionTypes(),
    adrIndex(),
    doctorReference(),
    blockRulesReference(),
    engineCasesReference(),
    metricsReference(),
    await logReference(),
    await troubleshooting(),
    await signerReference(),
    ...grafanaFiles(),
    ...alertFiles(),
    unitFile(),
    ...rpc,
  ]
}

/** The output of `cairn network export`, with the path of `npm install --global`. */
function unitFile(): GeneratedFile {
  return { path: `deploy/systemd/${UNIT_FILE}`, content: systemdUnit(['/usr/local/bin/cairn']) }
}
