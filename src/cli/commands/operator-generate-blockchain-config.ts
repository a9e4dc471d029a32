import { join } from 'node:path'
import { defineCommand } from '#cli/command.ts'
import { MAX_INPUT_BYTES } from '#cli/read-text.ts'
import { path } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { type NetworkPlan, planNetwork, refusal } from '#fleet/plan-network.ts'
import {
  ensureDirectory,
  isMissingOrEmpty,
  OWNER_ONLY,
  readTextBounded,
  writeFileNew,
} from '#platform/files/files.ts'
import { formatData } from '#types/hex.ts'
import { formatJson } from '#types/json/json-format.ts'
import { parseJson } from '#types/json/json-parse.ts'
import { JsonObject } from '#types/json/json-value.ts'

const options = defineOptions('Options', {
  configFile: {
    flag: '--config-file',
    kind: path,
    required: true,
    help: 'JSON file with the objects genesis and blockchain.',
  },
  to: {
    flag: '--to',
    kind: path,
    label: 'DIRECTORY',
    required: true,
    help: 'Directory to write to. It must be empty or missing.',
  },
  genesisFileName: {
    flag: '--genesis-file-name',
    kind: path,
    default: 'genesis.json',
    help: 'Name of the genesis file.',
  },
  privateKeyFileName: {
    flag: '--private-key-file-name',
    kind: path,
    default: 'key.priv',
    help: 'Name of each private key file.',
  },
  publicKeyFileName: {
    flag: '--public-key-file-name',
    kind: path,
    default: 'key.pub',
    help: 'Name of each public key file.',
  },
})

export default defineCommand({
  options,
  run({ own, io }) {
    const names: FileNames = {
      genesis: own.get(options.genesisFileName),
      privateKey: own.get(options.privateKeyFileName),
      publicKey: own.get(options.publicKeyFileName),
    }
    if (new Set(Object.values(names)).size < Object.values(names).length) {
      throw refusal('Output file paths must be unique.')
    }
    const say = (sentence: string) => io.err(`${sentence}\n`)
    const to = own.get(options.to)
    const plan = planNetwork(readConfig(own.get(options.configFile)), say)
    writeNetwork(plan, to, names, say)
    say(
      `Wrote ${names.genesis} and ${plan.nodes.length} key ${plan.nodes.length === 1 ? 'directory' : 'directories'} to ${to}.`,
    )
  },
})

function readConfig(file: string): JsonObject {
  const config = parseJson(readTextBounded(file, MAX_INPUT_BYTES))
  if (config instanceof JsonObject) return config
  throw refusal(`${file} must hold a JSON object with the members genesis and blockchain.`)
}

const PROGRESS_STEP = 100

interface FileNames {
  readonly genesis: string
  readonly privateKey: string
  readonly publicKey: string
}

/** Writes `<to>/keys/<address>/…` and the genesis file. Never overwrites a file. */
function writeNetwork(
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
