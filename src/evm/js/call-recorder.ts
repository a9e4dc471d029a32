/** Builds the call tree of a running transaction, within a limit in bytes. */
import type { ByteWriter } from '#evm/byte-writer.ts'
import { frameTypeCode } from '#evm/call-tree.ts'
import { type ExecutionError, executionErrorCode } from '#evm/execution-error.ts'
import type { FrameType } from '#types/frame-types.ts'

/** Size of a frame without its input and output. */
const FIXED_BYTES = 1 + 1 + 2 + 4 + 20 + 20 + 32 + 8 + 8 + 4 + 4
const NOTHING = new Uint8Array(0)
export const ZERO_ADDRESS_BYTES = new Uint8Array(20)

export interface FrameStart {
  readonly type: FrameType
  readonly from: Uint8Array
  /** Undefined until a creation has its address. */
  readonly to: Uint8Array | undefined
  readonly value: bigint
  readonly gas: bigint
  readonly input: Uint8Array
}

export interface FrameEnd {
  readonly error: ExecutionError
  readonly gasUsed: bigint
  readonly output: Uint8Array
  /** The address of a created contract. */
  readonly to?: Uint8Array | undefined
}

interface Frame extends FrameStart {
  readonly depth: number
  subtraces: number
  end: FrameEnd
}

const NOT_ENDED: FrameEnd = { error: 'other', gasUsed: 0n, output: NOTHING }

export class CallRecorder {
  readonly #maxBytes: number
  #frames: Frame[] = []
  #open: (Frame | undefined)[] = []
  #bytes = 0
  #isCut = false

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get isCut(): boolean {
    return this.#isCut
  }

  begin(): void {
    this.#frames = []
    this.#open = []
    this.#bytes = 0
    this.#isCut = false
  }

  enter(start: FrameStart): void {
    this.#open.push(this.#add(start, NOT_ENDED))
  }

  leave(end: FrameEnd): void {
    const frame = this.#open.pop()
    if (frame === undefined) return
    if (!this.#fits(end.output.length)) frame.end = { ...end, output: NOTHING }
    else frame.end = end
  }

  /** Adds a frame without calls: one refused before it began, or a selfdestruct. */
  single(start: FrameStart, end: FrameEnd): void {
    this.#add(start, end)
  }

  write(writer: ByteWriter): void {
    writer.uint32(this.#frames.length)
    for (const frame of this.#frames) writeFrame(frame, writer)
  }

  #add(start: FrameStart, end: FrameEnd): Frame | undefined {
    if (!this.#fits(FIXED_BYTES + start.input.length)) return undefined
    const parent = this.#open.at(-1)
    // Below a dropped frame nothing fits either.
    if (parent === undefined && this.#open.length > 0) return undefined
    if (parent !== undefined) parent.subtraces++
    // The input is a view of the caller's memory, which changes before the tree is written.
    const input = new Uint8Array(start.input)
    const frame = { ...start, input, depth: this.#open.length, subtraces: 0, end }
    this.#frames.push(frame)
    return frame
  }

  #fits(bytes: number): boolean {
    this.#bytes += bytes
    if (this.#bytes > this.#maxBytes) this.#isCut = true
    return !this.#isCut
  }
}

function writeFrame(frame: Frame, writer: ByteWriter): void {
  const { error, gasUsed, output, to } = frame.end
  writer.uint8(frameTypeCode(frame.type))
  writer.uint8(executionErrorCode(error))
  writer.uint16(frame.depth)
  writer.uint32(frame.subtraces)
  writer.bytes(frame.from)
  writer.bytes(to ?? frame.to ?? ZERO_ADDRESS_BYTES)
  writer.uint256(frame.value)
  writer.uint64(frame.gas)
  writer.uint64(gasUsed)
  writer.sizedBytes(frame.input)
  writer.sizedBytes(output)
}
