/** Lines of Solidity's `console.log`, from the calls of a transaction or a simulated call. */
import { CONSOLE_ADDRESS, decodeConsoleLog } from '#abi/console-log.ts'
import type { CallFrame } from '#evm/call-tree.ts'
import type { Log, LogFields } from '#platform/log/log.ts'
import { addressToBytes } from '#types/address.ts'
import { equalBytes } from '#types/bytes.ts'
import { printableLine } from '#types/printable.ts'

/** Maximum lines of `console.log`, and of a call tree, per transaction or call. */
export const MAX_LINES = 200
const MAX_LINE_CHARACTERS = 4_000
const CONSOLE_BYTES = addressToBytes(CONSOLE_ADDRESS)

/** Returns also the lines of calls that were reverted later. */
export function consoleLines(frames: readonly CallFrame[]): readonly string[] {
  return frames.flatMap(({ to, input }) =>
    to === CONSOLE_ADDRESS ? (decodeConsoleLog(input)?.split('\n') ?? []) : [],
  )
}

export function isConsole(address: Uint8Array): boolean {
  return equalBytes(address, CONSOLE_BYTES)
}

export function relayLines(log: Log, lines: readonly string[], fields?: LogFields): void {
  for (const line of lines.slice(0, MAX_LINES))
    log.relay('INFO', printableLine(line, MAX_LINE_CHARACTERS), fields)
  if (lines.length > MAX_LINES) log.relay('INFO', `… ${lines.length - MAX_LINES} more lines`, fields)
}
