import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { OptionIndex } from '#config/command-line.ts'
import { interpret, loadSettings } from '#config/settings.ts'
import { fromToml } from '#config/sources.ts'
import { ALL_OPTIONS } from '#node/all-options.ts'
import { type CliResult, runCommand } from '../run-cli.ts'
import type { Outcome, Pack, Suite } from '../suite.ts'

interface RlpVector {
  type: string
  input?: string
  fromFile?: string
  output?: string
  stderrStartsWith?: string
  stderrContains?: string
}

interface OperatorVector {
  config: string
  args?: string[]
  ok: boolean
  toExistingDirectory?: boolean
  genesisFile?: string
  keyFiles?: string[]
  genesisFields?: Record<string, unknown>
  extraData?: string
  stderrEndsWith?: string
}

const suite: Suite = {
  name: 'cli',
  async *run(pack) {
    const folder = mkdtempSync(join(tmpdir(), 'cairn-cli-'))
    try {
      yield* rlpVectors(pack, folder)
      yield* operatorVectors(pack, folder)
      yield* optionFiles(pack)
    } finally {
      rmSync(folder, { recursive: true })
    }
    for (const file of pack.files('cli/blocks-import-json')) {
      yield {
        unit: file,
        status: 'waits',
        reason: 'a builder of blocks out of JSON: blocks import reads RLP',
      }
    }
  },
}

export default suite

function verdict(unit: string, mistake: string | undefined): Outcome {
  return mistake === undefined ? { unit, status: 'met' } : { unit, status: 'failed', reason: mistake }
}

async function* rlpVectors(pack: Pack, folder: string): AsyncIterable<Outcome> {
  const vectors = pack.json('cli/rlp-vectors.json') as Record<'encode' | 'decode', RlpVector[]>
  for (const command of ['encode', 'decode'] as const) {
    for (const [index, vector] of vectors[command].entries()) {
      const from = vector.fromFile ? [`--from=${vector.fromFile}`] : []
      const args = ['rlp', command, `--type=${vector.type}`, ...from]
      const result = await runCommand(args, folder, vector.input)
      yield verdict(`cli/rlp-vectors.json#${command}-${index}`, rlpMistake(vector, result))
    }
  }
}

function rlpMistake(vector: RlpVector, { code, stdout, stderr }: CliResult): string | undefined {
  if (vector.output !== undefined) {
    return code === 0 && stdout === `${vector.output}\n`
      ? undefined
      : `exit ${code}, printed ${stdout}${stderr}`
  }
  const said = vector.stderrStartsWith
    ? stderr.startsWith(vector.stderrStartsWith)
    : stderr.includes(vector.stderrContains!)
  return code !== 0 && stdout === '' && said ? undefined : `exit ${code}, printed ${stdout}${stderr}`
}

async function* operatorVectors(pack: Pack, folder: string): AsyncIterable<Outcome> {
  const vectors = pack.json('cli/operator-expected.json') as OperatorVector[]
  for (const [index, vector] of vectors.entries()) {
    const to = join(folder, `network-${index}`)
    if (vector.toExistingDirectory) {
      mkdirSync(to)
      writeFileSync(join(to, 'something'), '')
    }
    const config = join(folder, basename(vector.config))
    cpSync(pack.path(`cli/${vector.config}`), config)
    const args = [`--config-file=${config}`, `--to=${to}`, ...(vector.args ?? [])]
    const result = await runCommand(['operator', 'generate-blockchain-config', ...args], folder)
    yield verdict(`cli/operator-expected.json#${index}`, operatorMistake(vector, config, to, result))
  }
}

function operatorMistake(
  vector: OperatorVector,
  config: string,
  to: string,
  result: CliResult,
): string | undefined {
  if (!vector.ok) {
    const said = result.stderr.trimEnd().endsWith(vector.stderrEndsWith!)
    return result.code !== 0 && said ? undefined : `exit ${result.code}, said ${result.stderr}`
  }
  if (result.code !== 0) return `exit ${result.code}, said ${result.stderr}`
  const genesisFile = join(to, vector.genesisFile ?? 'genesis.json')
  if (!existsSync(genesisFile)) return 'there is no genesis file'
  const { extraData, ...genesis } = JSON.parse(readFileSync(genesisFile, 'utf8'))
  const input = JSON.parse(readFileSync(config, 'utf8'))
  if (JSON.stringify(genesis) !== JSON.stringify(input.genesis)) return 'a given field was lost or changed'
  if (vector.extraData !== undefined && vector.extraData !== extraData) return `extraData is ${extraData}`
  if (typeof extraData !== 'string') return 'there is no extraData'
  const folders = readdirSync(join(to, 'keys'))
  const count = input.blockchain.nodes.keys?.length ?? input.blockchain.nodes.count
  if (folders.length !== count) return `${folders.length} key folders instead of ${count}`
  const wrong = folders.find(
    (name) =>
      readdirSync(join(to, 'keys', name))
        .sort()
        .join() !== [...vector.keyFiles!].sort().join(),
  )
  return wrong === undefined ? undefined : `the folder ${wrong} holds other files`
}

function* optionFiles(pack: Pack): Iterable<Outcome> {
  const index = new OptionIndex(ALL_OPTIONS)
  for (const file of [...pack.files('cli/config-files'), ...pack.files('cli/profiles')]) {
    try {
      const keys = pack.text(file).match(/^[A-Za-z][\w-]*\s*=/gm) ?? []
      const { given, warnings } = fromToml(pack.text(file), index, { source: 'config file', name: file })
      for (const each of given) interpret(each)
      const seen = given.length + warnings.length
      yield verdict(file, seen === keys.length ? undefined : `${seen} of ${keys.length} keys were read`)
    } catch (error) {
      yield verdict(file, (error as Error).message)
    }
  }
  for (const file of pack.files('cli/profiles')) {
    yield verdict(`${file}#built-in`, profileMistake(pack.text(file), basename(file, '.toml')))
  }
}

/** The built-in profile with this name must set the same values as the file, and no others. */
function profileMistake(toml: string, name: string): string | undefined {
  const index = new OptionIndex(ALL_OPTIONS)
  const builtIn = name === 'enterprise-private' ? 'enterprise' : name
  const commandLine = [
    {
      option: index.find('--profile')!,
      text: builtIn,
      origin: { source: 'command line' as const, name: '--profile' },
    },
  ]
  const settings = loadSettings({
    options: ALL_OPTIONS,
    commandLine,
    environment: {},
    readText: () => undefined,
  })
  const expected = fromToml(toml, index, { source: 'config file', name }).given.map(
    (each) => `${each.option.flag} ${interpret(each)}`,
  )
  const actual = settings
    .given()
    .filter(({ origin }) => origin.source === 'profile' && origin.name === builtIn)
    .map(({ option, value }) => `${option.flag} ${value}`)
  return expected.sort().join() === actual.sort().join()
    ? undefined
    : `sets ${actual.join()} instead of ${expected.join()}`
}
