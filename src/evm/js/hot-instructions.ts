/**
 * The instructions that hot code is made of and that the library does by way of hexadecimal text, done on the bytes:
 * loops of them ran 1.6 (Keccak) to 4 times (memory, SLOAD) as fast. The state tests keep the two in step.
 */
import type { Common } from '@ethereumjs/common'
import { wordAt } from '#types/state-changes.ts'
import type { RunState } from './interpreter.ts'
import { wordBytes } from './word-bytes.ts'

type Instruction = (runState: RunState, common: Common) => void

const NOTHING = new Uint8Array(0)
const WORD_BYTES = 32

/** By opcode. */
export const HOT_INSTRUCTIONS: Readonly<Record<number, Instruction>> = {
  32: keccak,
  53: callDataLoad,
  81: mload,
  82: mstore,
  84: sload,
}

function keccak({ stack, memory }: RunState, { customCrypto }: Common): void {
  const offset = stack.pop()
  const length = stack.pop()
  const input = length === 0n ? NOTHING : memory.read(Number(offset), Number(length), true)
  stack.push(wordAt(customCrypto.keccak256!(input), 0))
}

function callDataLoad({ stack, interpreter }: RunState): void {
  const offset = stack.pop()
  const data = interpreter.getCallData()
  stack.push(offset < BigInt(data.length) ? paddedWordAt(data, Number(offset)) : 0n)
}

/** Bytes beyond the end are zero. */
function paddedWordAt(data: Uint8Array, at: number): bigint {
  if (at + WORD_BYTES <= data.length) return wordAt(data, at)
  const padded = new Uint8Array(WORD_BYTES)
  padded.set(data.subarray(at))
  return wordAt(padded, 0)
}

function mload({ stack, memory }: RunState): void {
  stack.push(wordAt(memory.read(Number(stack.pop()), WORD_BYTES, true), 0))
}

function mstore({ stack, memory }: RunState): void {
  const offset = Number(stack.pop())
  memory.write(offset, WORD_BYTES, wordBytes(stack.pop()))
}

function sload({ stack, interpreter, stateManager }: RunState): void {
  // Not a promise: our state answers at once (ethereumjs-state.ts).
  const value = stateManager.getStorage(interpreter.getAddress(), wordBytes(stack.pop())) as unknown
  stack.push((value as Uint8Array).length === 0 ? 0n : wordAt(value as Uint8Array, 0))
}
