/** Random programs: mostly sensible, so they run for long, with some mistakes. */
import { type Address, addressToBytes } from '#types/address.ts'
import { bigintToBytes, concatBytes } from '#types/bytes.ts'
import type { Random } from '../../support/random.ts'
import { precompileInput } from './precompile-inputs.ts'

const MAX_DEPTH = 3
const MAX_STEPS = 40

/** Opcodes that need only their stack words. */
const PLAIN: readonly (readonly [opcode: number, takes: number, gives: number])[] = [
  ...range(0x01, 0x0b).map((opcode) => [opcode, opcode === 0x08 || opcode === 0x09 ? 3 : 2, 1] as const),
  ...range(0x10, 0x1e).map(
    (opcode) => [opcode, opcode === 0x15 || opcode === 0x19 || opcode === 0x1e ? 1 : 2, 1] as const,
  ),
  ...[
    0x30, 0x32, 0x33, 0x34, 0x36, 0x38, 0x3a, 0x3d, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x4a,
  ].map((opcode) => [opcode, 0, 1] as const),
  ...[0x58, 0x59, 0x5a, 0x5f].map((opcode) => [opcode, 0, 1] as const),
  ...[0x31, 0x35, 0x3b, 0x3f, 0x40, 0x49].map((opcode) => [opcode, 1, 1] as const),
  [0x50, 1, 0],
]

interface Draft {
  readonly random: Random
  readonly addresses: readonly Address[]
  readonly code: number[]
  /** Data pieces, and the position of their offset in the code. */
  readonly data: { readonly at: number; readonly bytes: Uint8Array }[]
  readonly nesting: number
  height: number
}

export function generateProgram(random: Random, addresses: readonly Address[], nesting = 0): Uint8Array {
  if (random.chance(0.03)) return random.bytes(random.below(80))
  const draft: Draft = { random, addresses, code: [], data: [], nesting, height: 0 }
  const steps = 1 + random.below(MAX_STEPS >> nesting)
  for (let step = 0; step < steps; step++) addStep(draft)
  addEnd(draft)
  const code = assemble(draft)
  if (random.chance(0.08)) code[random.below(code.length)] = random.below(256)
  return code
}

/** The code, an end, and the data after the end. */
function assemble({ code, data }: Draft): Uint8Array {
  let end = code.length + 1
  for (const { at, bytes } of data) {
    code[at] = end >> 8
    code[at + 1] = end & 255
    end += bytes.length
  }
  return concatBytes(Uint8Array.from(code), Uint8Array.of(0xfe), ...data.map(({ bytes }) => bytes))
}

function addStep(draft: Draft): void {
  const { random } = draft
  const step = random.below(20)
  if (step < 6) addPlain(draft)
  else if (step < 8) push(draft, random.word())
  else if (step === 8) addStackMove(draft)
  else if (step < 11) addMemory(draft)
  else if (step < 13) addStorage(draft)
  else if (step < 16) addCall(draft)
  else if (step === 16 && draft.nesting < MAX_DEPTH) addCreate(draft)
  else if (step === 17) addLog(draft)
  else if (step === 18) addCopy(draft)
  else addJump(draft)
}

function addPlain(draft: Draft): void {
  const [opcode, takes, gives] = draft.random.pick(PLAIN)
  while (draft.height < takes) push(draft, draft.random.word())
  if (draft.random.chance(0.5) && (opcode === 0x31 || opcode === 0x3b || opcode === 0x3f)) pushAddress(draft)
  if (opcode === 0x40) push(draft, BigInt(990 + draft.random.below(14)))
  emit(draft, opcode, takes, gives)
}

function addStackMove(draft: Draft): void {
  const { random } = draft
  if (draft.height === 0) push(draft, random.word())
  const depth = random.below(Math.min(draft.height, 16))
  if (random.chance(0.5) || depth === 0) emit(draft, 0x80 + depth, 0, 1)
  else emit(draft, 0x90 + depth - 1, 0, 0)
}

/** MLOAD, MSTORE, MSTORE8, KECCAK256, MCOPY. */
function addMemory(draft: Draft): void {
  const { random } = draft
  const opcode = random.pick([0x51, 0x52, 0x52, 0x53, 0x20, 0x5e])
  if (opcode === 0x20 || opcode === 0x5e) pushLength(draft)
  if (opcode === 0x5e) pushOffset(draft)
  if (opcode === 0x52 || opcode === 0x53) push(draft, random.word())
  pushOffset(draft)
  const takes = opcode === 0x51 ? 1 : opcode === 0x5e ? 3 : 2
  emit(draft, opcode, takes, opcode === 0x51 || opcode === 0x20 ? 1 : 0)
}

function addStorage(draft: Draft): void {
  const { random } = draft
  const opcode = random.pick([0x54, 0x55, 0x55, 0x5c, 0x5d])
  const isStore = opcode === 0x55 || opcode === 0x5d
  if (isStore) push(draft, random.chance(0.4) ? 0n : BigInt(random.below(4)))
  push(draft, BigInt(random.below(6)))
  emit(draft, opcode, isStore ? 2 : 1, isStore ? 0 : 1)
}

/** CALL, CALLCODE, DELEGATECALL, STATICCALL; to precompiles with inputs that they understand. */
function addCall(draft: Draft): void {
  const { random } = draft
  const opcode = random.pick([0xf1, 0xf1, 0xf2, 0xf4, 0xfa])
  const hasValue = opcode === 0xf1 || opcode === 0xf2
  const target = random.pick(draft.addresses)
  const input = random.chance(0.8) ? precompileInput(random, target) : undefined
  const inputLength = input === undefined ? random.below(100) : input.length
  if (input !== undefined) addData(draft, input, 0)
  pushLength(draft)
  pushOffset(draft)
  push(draft, BigInt(inputLength))
  push(draft, 0n)
  if (hasValue) push(draft, random.chance(0.7) ? 0n : BigInt(random.below(5)))
  push(draft, BigInt(target))
  if (random.chance(0.5)) emit(draft, 0x5a, 0, 1)
  else push(draft, random.chance(0.7) ? BigInt(random.below(200_000)) : random.word())
  emit(draft, opcode, hasValue ? 7 : 6, 1)
}

function addCreate(draft: Draft): void {
  const { random, addresses, nesting } = draft
  const initCode = generateInitCode(random, addresses, nesting + 1)
  const isCreate2 = random.chance(0.5)
  addData(draft, initCode, 0)
  if (isCreate2) push(draft, BigInt(random.below(3)))
  push(draft, BigInt(initCode.length))
  push(draft, 0n)
  push(draft, random.chance(0.7) ? 0n : BigInt(random.below(5)))
  emit(draft, isCreate2 ? 0xf5 : 0xf0, isCreate2 ? 4 : 3, 1)
  // Calls the created contract, so it runs and can destroy itself.
  if (random.chance(0.6)) {
    const zeros = [0n, 0n, 0n, 0n, 0n]
    for (const word of zeros) push(draft, word)
    emit(draft, 0x85, 0, 1)
    emit(draft, 0x5a, 0, 1)
    emit(draft, 0xf1, 7, 1)
  }
}

/** Init code that runs something itself, or deploys a program or invalid code. */
export function generateInitCode(random: Random, addresses: readonly Address[], nesting: number): Uint8Array {
  if (nesting >= MAX_DEPTH || random.chance(0.3)) return generateProgram(random, addresses, MAX_DEPTH)
  const deployed = random.chance(0.05) ? Uint8Array.of(0xef, 1) : generateProgram(random, addresses, nesting)
  const draft: Draft = { random, addresses, code: [], data: [], nesting, height: 0 }
  if (random.chance(0.3)) addStorage(draft)
  addData(draft, deployed, 0)
  push(draft, random.chance(0.03) ? 30_000n : BigInt(deployed.length))
  push(draft, 0n)
  emit(draft, 0xf3, 2, 0)
  return assemble(draft)
}

function addLog(draft: Draft): void {
  const { random } = draft
  const topics = random.below(5)
  for (let topic = 0; topic < topics; topic++) push(draft, random.word())
  pushLength(draft)
  pushOffset(draft)
  emit(draft, 0xa0 + topics, topics + 2, 0)
}

function addCopy(draft: Draft): void {
  const { random } = draft
  const opcode = random.pick([0x37, 0x39, 0x3e, 0x3c])
  push(draft, BigInt(random.below(40)))
  push(draft, random.chance(0.5) ? 0n : BigInt(random.below(40)))
  pushOffset(draft)
  if (opcode === 0x3c) pushAddress(draft)
  emit(draft, opcode, opcode === 0x3c ? 4 : 3, 0)
}

/** An invalid jump, a jump over random bytes, or a loop with a counter. */
function addJump(draft: Draft): void {
  const { random } = draft
  if (random.chance(0.1)) {
    push(draft, random.word())
    emit(draft, 0x56, 1, 0)
  } else if (random.chance(0.5)) addJumpForward(draft)
  else addLoop(draft)
}

function addJumpForward(draft: Draft): void {
  const { random, code } = draft
  const isConditional = random.chance(0.5)
  if (isConditional) push(draft, random.word())
  const rubbish = random.bytes(random.below(3))
  push2(draft, code.length + 3 + 1 + rubbish.length)
  emit(draft, isConditional ? 0x57 : 0x56, isConditional ? 2 : 1, 0)
  // A condition may fall through to harmless bytes only, and no PUSH may swallow the jump target.
  for (const byte of rubbish) code.push(isConditional || (byte >= 0x60 && byte < 0x80) ? 0x5b : byte)
  emit(draft, 0x5b, 0, 0)
}

function addLoop(draft: Draft): void {
  push(draft, BigInt(1 + draft.random.below(20)))
  const start = draft.code.length
  emit(draft, 0x5b, 0, 0)
  addPlainLoopBody(draft)
  push(draft, 1n)
  emit(draft, 0x90, 0, 0)
  emit(draft, 0x03, 2, 1)
  emit(draft, 0x80, 0, 1)
  push2(draft, start)
  emit(draft, 0x57, 2, 0)
}

function addPlainLoopBody(draft: Draft): void {
  const before = draft.height
  addStorage(draft)
  while (draft.height > before) emit(draft, 0x50, 1, 0)
}

/** STOP, SELFDESTRUCT, INVALID, REVERT, or RETURN, which is the most frequent. */
function addEnd(draft: Draft): void {
  const opcode = draft.random.pick([0x00, 0xff, 0xfe, 0xfd, 0xf3, 0xf3, 0xf3])
  if (opcode === 0xff) pushAddress(draft)
  if (opcode === 0xfd || opcode === 0xf3) {
    pushLength(draft)
    pushOffset(draft)
  }
  emit(draft, opcode, opcode === 0xff ? 1 : 2, 0)
}

/** Puts bytes into memory at `to`. */
function addData(draft: Draft, bytes: Uint8Array, to: number): void {
  push(draft, BigInt(bytes.length))
  draft.code.push(0x61)
  draft.data.push({ at: draft.code.length, bytes })
  draft.code.push(0, 0)
  draft.height++
  push(draft, BigInt(to))
  emit(draft, 0x39, 3, 0)
}

function pushOffset(draft: Draft): void {
  push(draft, draft.random.chance(0.97) ? BigInt(draft.random.below(200)) : draft.random.word())
}

function pushLength(draft: Draft): void {
  push(draft, draft.random.chance(0.97) ? BigInt(draft.random.below(70)) : draft.random.word())
}

function pushAddress(draft: Draft): void {
  const address = draft.random.pick(draft.addresses)
  draft.code.push(0x73, ...addressToBytes(address))
  draft.height++
}

function push(draft: Draft, word: bigint): void {
  let length = 1
  while (length < 32 && word >> BigInt(8 * length) !== 0n) length++
  draft.code.push(0x5f + length, ...bigintToBytes(word, length))
  draft.height++
}

function push2(draft: Draft, value: number): void {
  draft.code.push(0x61, value >> 8, value & 255)
  draft.height++
}

function emit(draft: Draft, opcode: number, takes: number, gives: number): void {
  draft.code.push(opcode)
  draft.height = Math.max(0, draft.height - takes) + gives
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}
