/** Says where a plugin's module is wrong: the file, which may be one that it imports, the line and its code. */
import { stripTypeScriptTypes } from 'node:module'
import { fileURLToPath } from 'node:url'
import { readTextBounded } from '#platform/files/files.ts'
import { MAX_PLUGIN_FILE_BYTES } from '#plugins/verify-plugin.ts'

/** A frame has a few lines; one of a bundled file may be as long as the file. */
const MAX_FRAME_LINE_CHARACTERS = 200
const MAX_FRAME_LINES = 8

/** `modules` are the URLs of the files that were loaded, the plugin's own first. */
export function describeLoadError(thrown: unknown, modules: Iterable<string>): string {
  if (!(thrown instanceof Error)) return String(thrown)
  const { message } = thrown
  if (!(thrown instanceof SyntaxError)) {
    const place = firstPlace(thrown)
    return place === undefined ? message : `${message} (${place})`
  }
  const frame = frameOf(thrown) ?? frameIn(modules)
  return frame === undefined ? message : `${message}\n${frame}`
}

/** Node puts the frame in front of the stack of TypeScript and of missing exports. */
function frameOf({ name, stack = '' }: Error): string | undefined {
  const end = stack.search(new RegExp(`^(${name}|SyntaxError)\\b`, 'm'))
  const lines = stack.slice(0, Math.max(0, end)).trimEnd().split('\n')
  const [place, ...code] = lines
  if (place === undefined || place === '') return undefined
  return [pathOf(place), ...code]
    .slice(0, MAX_FRAME_LINES)
    .map((line) => `  ${line.slice(0, MAX_FRAME_LINE_CHARACTERS)}`.trimEnd())
    .join('\n')
}

/** Node does not say which JavaScript file it could not parse. The parser of TypeScript does, for the first one it refuses. */
function frameIn(modules: Iterable<string>): string | undefined {
  for (const url of modules) {
    const path = fileURLToPath(url)
    try {
      withoutWarnings(() =>
        stripTypeScriptTypes(readTextBounded(path, MAX_PLUGIN_FILE_BYTES), { sourceUrl: path }),
      )
    } catch (error) {
      if (error instanceof SyntaxError) return frameOf(error)
    }
  }
  return undefined
}

/** The function is experimental, which is of no interest to an operator. */
function withoutWarnings(run: () => void): void {
  const { emitWarning } = process
  process.emitWarning = () => undefined
  try {
    run()
  } finally {
    process.emitWarning = emitWarning
  }
}

function firstPlace({ stack = '' }: Error): string | undefined {
  const found = /\(?(file:\/\/[^\s)]+:\d+:\d+)\)?$/m.exec(stack)?.[1]
  return found && pathOf(found)
}

/** Of `file:///a/b.ts:3:5` the path and the position. */
function pathOf(place: string): string {
  const [, url, position] = /^(file:.*?)((?::\d+)*)$/.exec(place) ?? []
  return url === undefined ? place : `${fileURLToPath(url)}${position}`
}
