/** The log calls of a source file, as the tidy test and the log reference see them. */

export interface LogLine {
  readonly level: 'INFO' | 'DEBUG' | 'TRACE'
  /** Undefined if the text is not a fixed string. */
  readonly message: string | undefined
  readonly line: number
}

/** Besu prints these with values in the text, and its tools search for them. */
const BESU_TEXTS = [
  'JSON-RPC service started and listening on ',
  'Websocket service started and listening on ',
  'Metrics service started and listening on ',
  'Enode URL ',
]

const CALL = /\b(?:\w*[lL]og|say)\)?\??\.(info|debug|trace)\(\s*(?:'((?:\\.|[^'\\\n])*)'|`([^`$]*)|)/g

export function logLinesOf(text: string): readonly LogLine[] {
  return [...text.matchAll(CALL)].map((match) => {
    const [, level, fixed, start] = match
    const isBesu = BESU_TEXTS.some((besu) => besu === start)
    return {
      level: level!.toUpperCase() as LogLine['level'],
      message: fixed ?? (isBesu ? `${start!}…` : undefined),
      line: text.slice(0, match.index).split('\n').length,
    }
  })
}
