/** Renders call trees as lines of styled text. The text never contains control characters. */
import type { Address } from '#types/address.ts'
import type { FrameType } from '#types/frame-types.ts'
import { printableLine } from '#types/printable.ts'
import { formatWei } from '#types/wei.ts'
import type { CallExplainer, EmittedEvent } from './explain-call.ts'

export interface TracedCall {
  readonly kind: FrameType
  readonly from: Address
  /** The called or created account; undefined if a creation failed. */
  readonly to: Address | undefined
  readonly value: bigint
  /** Undefined if the node does not report it. */
  readonly gasUsed: bigint | undefined
  readonly input: Uint8Array
  readonly output: Uint8Array
  /** In the node's words; undefined if the call succeeded. */
  readonly error: string | undefined
  readonly calls: readonly TracedCall[]
  readonly events: readonly TracedEvent[]
}

/** A call whose inner calls are being collected. */
export type MutableCall = TracedCall & { readonly calls: TracedCall[] }

export interface TracedEvent extends EmittedEvent {
  /** The number of calls before it. */
  readonly position: number
}

export type SpanStyle = 'plain' | 'faint' | 'name' | 'event' | 'error'

export interface Span {
  readonly text: string
  readonly style: SpanStyle
}

export type StyledLine = readonly Span[]

/** Longer than any line that values cut by `formatAbi` usually need. */
const MAX_SPAN_CHARACTERS = 4_000

export interface RenderOptions {
  readonly maxLines: number
}

/** Cuts the tree after `maxLines`. */
export function renderCalls(
  root: TracedCall,
  explainer: CallExplainer,
  { maxLines }: RenderOptions,
): readonly StyledLine[] {
  const lines: StyledLine[] = []
  for (const line of callLines(root, explainer, { own: '', below: '' })) {
    if (lines.length === maxLines) {
      lines.push([span('… more calls', 'faint')])
      break
    }
    lines.push(line)
  }
  return lines
}

export function renderEvents(
  events: readonly EmittedEvent[],
  explainer: CallExplainer,
): readonly StyledLine[] {
  return events.map((event) => eventLine(event, explainer))
}

export function span(text: string, style: SpanStyle = 'plain'): Span {
  return { text: printableLine(text, MAX_SPAN_CHARACTERS), style }
}

export function plainText(line: StyledLine): string {
  return line.map(({ text }) => text).join('')
}

/** The branches of the tree before a line, and before the lines below it. */
interface Branch {
  readonly own: string
  readonly below: string
}

function* callLines(call: TracedCall, explainer: CallExplainer, branch: Branch): Generator<StyledLine> {
  yield [span(branch.own, 'faint'), ...headSpans(call, explainer)]
  const end = endSpans(call, explainer)
  const entries = [...entriesInOrder(call)]
  for (const [index, entry] of entries.entries()) {
    const isLast = index === entries.length - 1 && end === undefined
    const next = {
      own: `${branch.below}${isLast ? '└─ ' : '├─ '}`,
      below: `${branch.below}${isLast ? '   ' : '│  '}`,
    }
    if ('kind' in entry) yield* callLines(entry, explainer, next)
    else yield [span(next.own, 'faint'), ...eventLine(entry, explainer)]
  }
  if (end !== undefined) yield [span(`${branch.below}└─ `, 'faint'), ...end]
}

/** Calls and events in their order. */
function* entriesInOrder({ calls, events }: TracedCall): Generator<TracedCall | TracedEvent> {
  let next = 0
  for (const [index, call] of calls.entries()) {
    while (next < events.length && events[next]!.position <= index) yield events[next++]!
    yield call
  }
  yield* events.slice(next)
}

function isCreation({ kind }: TracedCall): boolean {
  return kind === 'create' || kind === 'create2'
}

function headSpans(call: TracedCall, explainer: CallExplainer): StyledLine {
  const { kind, gasUsed, value, to, input } = call
  const gas = gasUsed === undefined ? [] : [span(`[${gasUsed}] `, 'faint')]
  const worth = value > 0n && kind !== 'delegatecall' ? [span(` {value: ${formatWei(value)}}`)] : []
  if (kind === 'selfdestruct') {
    return [span('selfdestruct', 'name'), span(` to ${to ?? 'unknown'}`), ...worth]
  }
  const { name, rest } = explainer.call({ isCreation: isCreation(call), to, input })
  const style = call.error === undefined ? 'name' : 'error'
  const kindText = kind === 'call' || kind === 'create' ? [] : [span(` [${kind}]`, 'faint')]
  const address = isCreation(call) && to !== undefined ? [span(` at ${to}`)] : []
  return [...gas, span(name, style), span(rest), ...address, ...worth, ...kindText]
}

function endSpans(call: TracedCall, explainer: CallExplainer): StyledLine | undefined {
  const { error, output, to, input } = call
  const data = { isCreation: isCreation(call), to, input }
  if (error === undefined) {
    return output.length === 0 ? undefined : [span('← ', 'faint'), span(explainer.result(data, output))]
  }
  const isRevert = output.length > 0 || /revert/i.test(error)
  return [span(`✗ ${isRevert ? explainer.revert(output, to) : error}`, 'error')]
}

function eventLine(event: EmittedEvent, explainer: CallExplainer): StyledLine {
  const { name, rest } = explainer.event(event)
  return [span('emit ', 'faint'), span(name, 'event'), span(rest)]
}
