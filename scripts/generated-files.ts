import { systemdUnit, UNIT_FILE } from '#fleet/export/systemd.ts'
import { blockRulesReference } from './block-rules-reference.ts'
import { cliReference } from './cli-reference.ts'
import { doctorReference } from './doctor-reference.ts'
import { generateRpc } from './generate-rpc.ts'
import { metricsReference } from './metrics-reference.ts'
import { signerReference } from './signer-reference.ts'
import { alertFiles } from './watching/alert-rules.ts'
import { grafanaFiles } from './watching/grafana.ts'

export interface GeneratedFile {
  readonly path: string
  readonly content: string
}

/** Everything in the repository that is written by a program from a declaration. */
export async function generatedFiles(): Promise<GeneratedFile[]> {
  // First, since help names the APIs of the methods that are found.
  const rpc = await generateRpc()
  return [
    await cliReference(),
    doctorReference(),
    blockRulesReference(),
    metricsReference(),
    await signerReference(),
    ...grafanaFiles(),
    ...alertFiles(),
    unitFile(),
    ...rpc,
  ]
}

/** As `cairn network export` writes it, with the place where `npm install --global` puts the program. */
function unitFile(): GeneratedFile {
  return { path: `deploy/systemd/${UNIT_FILE}`, content: systemdUnit(['/usr/local/bin/cairn']) }
}
