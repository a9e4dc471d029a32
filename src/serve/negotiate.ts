export type ContentCoding = 'gzip' | 'deflate'

interface Choice {
  readonly value: string
  /** The client's weight, 0 to 1. */
  readonly weight: number
}

/** Whether an Accept header leaves room for application/json. */
export function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return true
  const choices = parseChoices(accept)
  if (choices.length === 0) return true
  const weightOf = (range: string) => choices.find(({ value }) => value === range)?.weight
  // The most specific range decides, so `application/json;q=0, */*` is a refusal.
  const weight = weightOf('application/json') ?? weightOf('application/*') ?? weightOf('*/*') ?? weightOf('*')
  return weight !== undefined && weight > 0
}

/** gzip and deflate only, as Besu; gzip wins a tie, `*` means gzip. Null: send it as it is. */
export function chooseCoding(acceptEncoding: string | undefined): ContentCoding | null {
  if (acceptEncoding === undefined || acceptEncoding === 'identity') return null
  const choices = parseChoices(acceptEncoding)
  const weightOf = (...names: string[]) => choices.find(({ value }) => names.includes(value))?.weight
  const any = weightOf('*') ?? 0
  const gzip = weightOf('gzip', 'x-gzip') ?? any
  const deflate = weightOf('deflate') ?? 0
  if (gzip <= 0 && deflate <= 0) return null
  return gzip >= deflate ? 'gzip' : 'deflate'
}

/** A coding this server can unpack; anything else is taken as it comes and fails to parse. */
export function codingOf(contentEncoding: string | undefined): ContentCoding | null {
  if (contentEncoding === undefined) return null
  const name = contentEncoding.trim().toLowerCase()
  if (name === 'gzip' || name === 'x-gzip') return 'gzip'
  return name === 'deflate' ? 'deflate' : null
}

function parseChoices(header: string): Choice[] {
  const choices: Choice[] = []
  for (const item of header.split(',')) {
    const [value = '', ...parameters] = item.split(';')
    const name = value.trim().toLowerCase()
    if (name !== '') choices.push({ value: name, weight: weightIn(parameters) })
  }
  return choices
}

function weightIn(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const match = /^\s*q\s*=\s*([\d.]+)\s*$/i.exec(parameter)
    if (match !== null) return Number(match[1]) || 0
  }
  return 1
}
