/** Where two tapes of events differ, in words; undefined if the only differences are those that are explained. */
import { TraceEventReader } from '#evm/trace/event-reader.ts'
import { formatData } from '#types/hex.ts'
import { knownDifference } from '../../adversarial/fuzz-engines/known-differences.ts'
import type { EventTape } from './event-tape.ts'

const LINES_BEFORE = 4

export function differenceOf(js: EventTape, native: EventTape): string | undefined {
  const a = linesOf(js)
  const b = linesOf(native)
  let known = 0
  for (let line = 0; line < Math.max(a.length, b.length); line++) {
    if (a[line] === b[line]) continue
    if (isKnown(a, b, line)) known++
    else {
      const before = a.slice(Math.max(0, line - LINES_BEFORE), line).map((text) => `    ${text}`)
      return [...before, `  js     ${a[line]}`, `  native ${b[line]}`].join('\n')
    }
  }
  return known > 0 ? undefined : 'the bytes differ, what they say does not'
}

/** An instruction that fails for another reason has another cost and ends its frame, and maybe others, with it. */
function isKnown(js: readonly string[], native: readonly string[], line: number): boolean {
  const [a, b] = [js[line], native[line]]
  if (a === undefined || b === undefined) return false
  if (a.startsWith('fault ') && b.startsWith('fault ')) {
    const isSame = withoutCost(a) === withoutCost(b)
    return isSame && knownDifference(js[line + 1], native[line + 1]) !== undefined
  }
  return knownDifference(a, b) !== undefined
}

function withoutCost(line: string): string {
  return line.replace(/ cost=\d+/, '')
}

function linesOf(tape: EventTape): string[] {
  const lines: string[] = []
  const reader = new TraceEventReader({
    begin: (index) => lines.push(`begin ${index}`),
    enter: ({ input, ...frame }) => lines.push(`enter ${fields(frame)} ${formatData(input)}`),
    code: (code) => lines.push(`code ${formatData(code)}`),
    step: (step) => {
      const { pc, op, gas, cost, refund, isFault, isOpen, slot, slotValue } = step
      const storage = slot === undefined ? '' : `${formatData(slot)}=${formatData(slotValue!)}`
      lines.push(
        `${isFault ? 'fault' : 'step'} ${fields({ pc, op: op.toString(16), gas, cost, refund, isOpen })} ${storage}`,
      )
    },
    stepped: (step) => {
      const { gasAfter, refund, stack, memoryLength, writtenFrom, writtenLength, memory } = step
      const written = formatData(memory.subarray(writtenFrom, writtenFrom + writtenLength))
      lines.push(
        `stepped ${fields({ gasAfter, refund, top: stack.length > 0 ? stack.item(1) : undefined, depth: stack.length, memoryLength })} ${writtenFrom} ${written}`,
      )
    },
    exit: ({ output, ...frame }) => lines.push(`frame ${fields(frame)} ${formatData(output)}`),
    selfdestruct: (from, to, wei) => lines.push(`selfdestruct ${from} ${to} ${wei}`),
    log: (address, topics, data) => lines.push(`log ${[address, ...topics, data].map(formatData).join(' ')}`),
    account: (account) => lines.push(`account ${JSON.stringify(account, plain)}`),
    end: (end) => lines.push(`outcome ${fields(end)}`),
  })
  for (const chunk of tape.chunks) reader.read(chunk)
  return lines
}

function fields(event: object): string {
  return Object.entries(event)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')
}

function plain(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  return value instanceof Uint8Array ? formatData(value) : value
}
