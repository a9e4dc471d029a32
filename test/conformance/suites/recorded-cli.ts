import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { helpOptions } from '#cli/help-options.ts'
import { OptionIndex } from '#config/command-line.ts'
import { ALL_OPTIONS } from '#node/all-options.ts'
import { type CliResult, runCommand, runProgram } from '../run-cli.ts'
import type { Outcome, Pack, Suite } from '../suite.ts'
import { DEVIATIONS, type Deviation } from './recorded-cli-deviations.ts'
import { type Files, filesMistake, listFiles, publicKeyOfFile, readFiles } from './recorded-cli-files.ts'
import { recordedInputs } from './recorded-cli-inputs.ts'

/** One run of Besu's program. */
interface Recorded {
  note: string
  args: string[]
  stdin: string | null
  /** An exit code, or a sentence that the program was still running. */
  exit: number | string
  stdout: string
  stderr: string
  files?: Record<string, string>
  [extra: `file ${string}`]: string
}

/** Mistakes in a permissions file are reported in Besu's words, except for rule codes. */
const SAYS_THE_SAME = /^permissions: (?!pm-dupacc)/

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
  const config = pack.path('recorded/config')
  const args = entry.args.map((arg) =>
    arg.replace('RUN/auth/', `${config}/auth-keys/`).replace('RUN/', `${config}/`),
  )
  // The recording used the default ports.
  const ports = { CAIRN_RPC_HTTP_PORT: '0', CAIRN_P2P_PORT: '0', CAIRN_P2P_INTERFACE: '127.0.0.1' }
  const env: Record<string, string> = entry.note.startsWith('env var') ? { BESU_RPC_HTTP_PORT: 'abc' } : ports
  const before = listFiles(folder)
  const startsNode =
    args.every((arg) => arg.startsWith('-')) && !args.some((arg) => /^(--help|-h|--version|-V)$/.test(arg))
  const result = startsNode
    ? await runProgram(args, folder, env)
    : await runCommand(args, folder, entry.stdin ?? '')
  const deviation = DEVIATIONS[index]
  const mistake =
    deviation === undefined
      ? (exitMistake(entry, result) ??
        sentenceMistake(entry, result) ??
        (startsNode ? logMistake(result) : outputMistake(entry, result, folder)) ??
        (startsNode ? undefined : fileMistake(entry, folder, before)))
      : deviationMistake(deviation, result, startsNode ? [] : newFiles(folder, before))
  if (mistake !== undefined) return { unit, status: 'failed', reason: mistake }
  return deviation === undefined
    ? { unit, status: 'met' }
    : { unit, status: 'deviates', decision: deviation.decision }
}

function newFiles(folder: string, before: ReadonlySet<string>): string[] {
  return [...listFiles(folder)].filter((path) => !before.has(path))
}

function deviationMistake(
  { code, says, prints }: Deviation,
  { code: actual, stdout, stderr }: CliResult,
  files: readonly string[],
): string | undefined {
  if (actual !== code) return `exit ${actual} instead of ${code}: ${stderr}`
  if (files.length > 0) return `left ${files.join(', ')}`
  if (prints === undefined ? stdout !== '' : !prints.test(stdout)) return `printed ${JSON.stringify(stdout)}`
  const said = code === 'running' ? messagesOf(stderr) : [stderr.split('\n')[0]!]
  if (says === undefined ? stderr !== '' : !said.includes(says)) return `said ${stderr} instead of ${says}`
  return undefined
}

/** The messages and field values of log lines, which are JSON. */
function messagesOf(log: string): unknown[] {
  const lines = log.split('\n').filter((line) => line.startsWith('{'))
  return lines.flatMap((line) => {
    const { msg, fields = {} } = JSON.parse(line) as { msg: string; fields?: object }
    return [msg, ...Object.values(fields)]
  })
}

function exitMistake(entry: Recorded, { code, stderr }: CliResult): string | undefined {
  const expected = typeof entry.exit === 'number' ? entry.exit : 'running'
  return code === expected ? undefined : `exit ${code} instead of ${expected}: ${stderr}`
}

function sentenceMistake({ note, stderr: theirs }: Recorded, { stderr }: CliResult): string | undefined {
  const [sentence = ''] = theirs.split('\n', 1)
  return SAYS_THE_SAME.test(note) && !stderr.includes(sentence)
    ? `said ${stderr} instead of ${sentence}`
    : undefined
}

/** Results go to standard output in the same shape; log lines, which Besu mixes in, do not. */
function outputMistake(entry: Recorded, { stdout }: CliResult, folder: string): string | undefined {
  const expected = withoutLogLines(entry.stdout)
  const unknown = entry.args.length === 1 ? unknownOptions(expected) : []
  if (unknown.length > 0) return `Besu knows ${unknown.join(', ')}, we do not`
  const [first] = entry.args
  const equal =
    /usage:/i.test(expected) || expected.startsWith('besu/')
      ? stdout.length > 0 && shapeOf(stdout) === shapeOf(expected)
      : first === 'password'
        ? stdout.replace(/\S/g, 'x') === expected.replace(/\S/g, 'x') &&
          stdout.slice(0, 7) === expected.slice(0, 7)
        : /data-path/.test(first!) && entry.args.includes('export')
          ? stdout === `${publicKeyOfFile(folder, join(first!.split('=')[1]!, 'key'))}\n`
          : stdout.replace('cairn starts', 'Besu starts') === expected
  return equal ? undefined : `printed ${JSON.stringify(stdout)} instead of ${JSON.stringify(expected)}`
}

/** Options in Besu's help that Cairn would refuse. */
function unknownOptions(help: string): string[] {
  const index = new OptionIndex([...ALL_OPTIONS, ...Object.values(helpOptions)])
  const names = new Set(help.match(/--[A-Za-z][\w-]+/g))
  return [...names].filter((name) => index.find(name) === undefined)
}

/** A starting node prints no result: its log goes to standard error. */
function logMistake({ stdout }: CliResult): string | undefined {
  return stdout === '' ? undefined : `printed ${JSON.stringify(stdout)} to standard output`
}

/** The wording of help and version texts is not compared. */
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

/** The files that the entry lists afterwards; an earlier file may have been rewritten. */
function recordedFiles(entry: Recorded): Files {
  const named = Object.entries(entry).filter(([key]) => key.startsWith('file ')) as [string, string][]
  return {
    ...entry.files,
    ...Object.fromEntries(named.map(([key, content]) => [key.slice('file '.length), content])),
  }
}

function fileMistake(entry: Recorded, folder: string, before: ReadonlySet<string>): string | undefined {
  const recorded = recordedFiles(entry)
  const left = new Set([...listFiles(folder)].filter((path) => !before.has(path) || path in recorded))
  return filesMistake(recorded, readFiles(folder, left), entry.note.includes('given'))
}
