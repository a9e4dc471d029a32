import { join } from 'node:path'
import { type NetworkPlan, refusal } from '#fleet/plan-network.ts'
import { ensureDirectory, isMissingOrEmpty, OWNER_ONLY, writeFileNew } from '#platform/files/files.ts'
import { formatData } from '#types/hex.ts'
import { formatJson } from '#types/json/json-format.ts'

const PROGRESS_STEP = 100

export interface FileNames {
  readonly genesis: string
  readonly privateKey: string
  readonly publicKey: string
}

/** Writes `<to>/keys/<address>/…` and the genesis file. Nothing that is already there is ever overwritten. */
export function writeNetwork(
  { genesis, nodes }: NetworkPlan,
  to: string,
  names: FileNames,
  say: (sentence: string) => void,
): void {
  if (!isMissingOrEmpty(to)) {
    throw refusal(
      `${to} is not empty; give --to a directory that is empty or missing. Output directory already exists.`,
    )
  }
  ensureDirectory(join(to, 'keys'))
  for (const [index, { address, publicKey, privateKey }] of nodes.entries()) {
    if (index > 0 && index % PROGRESS_STEP === 0) say(`Wrote ${index} of ${nodes.length} key directories.`)
    const directory = join(to, 'keys', address)
    ensureDirectory(directory)
    if (privateKey)
      writeFileNew(join(directory, names.privateKey), formatData(privateKey), { mode: OWNER_ONLY })
    writeFileNew(join(directory, names.publicKey), formatData(publicKey))
  }
  writeFileNew(join(to, names.genesis), formatJson(genesis))
}
