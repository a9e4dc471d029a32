import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { helpOptions } from '#cli/help-options.ts'
import { OptionIndex } from '#config/command-line.ts'
import { ALL_OPTIONS } from '#node/all-options.ts'
import { type CliResult, runCommand, runProgram } from '../run-cli.ts'
import type { Outcome, Pack, Suite } from '../suite.ts'
import { recordedInputs } from './recorded-cli-inputs.ts'

/** One run of the reference's program. */
interface Recorded {
  note: string
  args: string[]
  stdin: string | null
  /** A number, or a sentence that it was still running. */
  exit: number | string
  stdout: string
  files?: Record<string, string>
  [extra: `file ${string}`]: string
}

interface Deviation {
  readonly decision: string
  /** What we do instead; a deviation is a promise too. */
  readonly code: number | 'running'
}

/** Rows of docs/compatibility.md; numbers are those of the reference corrections, C… are our own. */
const DEVIATIONS: Readonly<Record<number, Deviation>> = {
  12: { decision: '44', code: 1 },
  15: { decision: '44', code: 1 },
  18: { decision: 'C1', code: 1 },
  22: { decision: '44', code: 1 },
  23: { decision: '44', code: 1 },
  24: { decision: '44', code: 1 },
  25: { decision: '44', code: 1 },
  26: { decision: '44', code: 1 },
  46: { decision: '43', code: 0 },
  76: { decision: '44', code: 2 },
  77: { decision: 'C2', code: 1 },
  78: { decision: '44', code: 2 },
  79: { decision: '44', code: 2 },
  81: { decision: '44', code: 2 },
  83: { decision: '44', code: 2 },
  84: { decision: '44', code: 2 },
  85: { decision: '44', code: 2 },
  93: { decision: 'C3', code: 0 },
  104: { decision: 'J11', code: 'running' },
  114: { decision: 'C4', code: 'running' },
}

const WAITING: readonly { from: number; to: number; reason: string }[] = [
  { from: 122, to: 131, reason: 'the permissions file comes with the allowlist room' },
  { from: 132, to: 132, reason: 'a running node reads its key with the p2p room' },
  { from: 134, to: 134, reason: 'bootnodes come with the p2p room' },
]

const suite: Suite = {
  name: 'recorded/cli',
  async *run(pack) {
    const folder = mkdtempSync(join(tmpdir(), 'cairn-recorded-cli-'))
    mkdirSync(join(folder, 'emptydir'))
    for (const [name, content] of Object.entries(recordedInputs(pack)))
      writeFileSync(join(folder, name), content)
    try {
      const entries = pack.json('recorded/cli.json') as Recorded[]
      for (const [index, entry] of entries.entries()) yield await play(pack, folder, entry, index)
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
}

export default suite

async function play(pack: Pack, folder: string, entry: Recorded, index: number): Promise<Outcome> {
  const unit = `recorded/cli.json#${index}`
  const waiting = WAITING.find(({ from, to }) => index >= from && index <= to)
  if (waiting) return { unit, status: 'waits', reason: waiting.reason }
  const config = pack.path('recorded/config')
  const args = entry.args.map((arg) =>
    arg.replace('RUN/auth/', `${config}/auth-keys/`).replace('RUN/', `${config}/`),
  )
  const env = entry.note.startsWith('env var') ? { BESU_RPC_HTTP_PORT: 'abc' } : {}
  const startsNode =
    args.every((arg) => arg.startsWith('-')) && !args.some((arg) => /^(--help|-h|--version|-V)$/.test(arg))
  const result = startsNode
    ? await runProgram(args, folder, env)
    : await runCommand(args, folder, entry.stdin ?? '')
  const deviation = DEVIATIONS[index]
  if (deviation) {
    return result.code === deviation.code
      ? { unit, status: 'deviates', decision: deviation.decision }
      : {
          unit,
          status: 'failed',
          reason: `exit ${result.code} instead of ${deviation.code}: ${result.stderr}`,
        }
  }
  const outputWrong = startsNode ? logMistake(result) : outputMistake(entry, result)
  const mistake = exitMistake(entry, result) ?? outputWrong ?? fileMistake(entry, folder)
  return mistake === undefined ? { unit, status: 'met' } : { unit, status: 'failed', reason: mistake }
}

function exitMistake(entry: Recorded, { code, stderr }: CliResult): string | undefined {
  const expected = typeof entry.exit === 'number' ? entry.exit : 'running'
  return code === expected ? undefined : `exit ${code} instead of ${expected}: ${stderr}`
}

/** Results go to standard output in the same shape; log lines, which the reference mixes in, do not. */
function outputMistake(entry: Recorded, { stdout }: CliResult): string | undefined {
  const expected = withoutLogLines(entry.stdout)
  const unknown = entry.args.length === 1 ? unknownOptions(expected) : []
  if (unknown.length > 0) return `the reference knows ${unknown.join(', ')}, we do not`
  const [first] = entry.args
  const equal =
    /usage:/i.test(expected) || expected.startsWith('besu/')
      ? stdout.length > 0 && shapeOf(stdout) === shapeOf(expected)
      : first === 'password'
        ? stdout.replace(/\S/g, 'x') === expected.replace(/\S/g, 'x') &&
          stdout.slice(0, 7) === expected.slice(0, 7)
        : /data-path/.test(first!) && entry.args.includes('export')
          ? stdout.length === expected.length
          : stdout.replace('cairn starts', 'Besu starts') === expected
  return equal ? undefined : `printed ${JSON.stringify(stdout)} instead of ${JSON.stringify(expected)}`
}

/** Options that the reference's help lists and we would refuse. */
function unknownOptions(help: string): string[] {
  const index = new OptionIndex([...ALL_OPTIONS, ...Object.values(helpOptions)])
  const names = new Set(help.match(/--[A-Za-z][\w-]+/g))
  return [...names].filter((name) => index.find(name) === undefined)
}

/** A node that starts has no result to print: all it says is log, which goes to standard error. */
function logMistake({ stdout }: CliResult): string | undefined {
  return stdout === '' ? undefined : `printed ${JSON.stringify(stdout)} to standard output`
}

/** The wording of help is never compared, nor the words of a version. */
function shapeOf(text: string): string {
  return /usage:/i.test(text) ? 'usage' : text.split('/').length.toString()
}

function withoutLogLines(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters
  const plain = text.replace(/\u001b\[[0-9;]*m/g, '')
  return plain
    .split('\n')
    .filter((line) => !/^\d{4}-\d\d-\d\d .* \| /.test(line))
    .join('\n')
}

function fileMistake(entry: Recorded, folder: string): string | undefined {
  const extra = Object.entries(entry).filter(([key]) => key.startsWith('file ')) as [string, string][]
  for (const [key, content] of extra) {
    const actual = readFileSync(join(folder, key.slice('file '.length)), 'utf8')
    if (actual !== content) return `${key} holds ${actual} instead of ${content}`
  }
  const genesis = Object.entries(entry.files ?? {}).find(([path]) => /gen(esis)?\.json$/.test(path))
  if (!genesis) return undefined
  // Generated keys differ from run to run, and with them the extra data; all else is equal to the byte.
  const withoutKeys = (text: string) =>
    entry.note.includes('given') ? text : text.replace(/d594[0-9a-f]{40}/, 'd594…')
  const actual = readFileSync(join(folder, genesis[0]), 'utf8')
  return withoutKeys(actual) === withoutKeys(genesis[1]) ? undefined : `${genesis[0]} holds ${actual}`
}
