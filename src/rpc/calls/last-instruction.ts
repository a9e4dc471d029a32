import { RecordReader } from '#evm/trace/record-reader.ts'
import { NO_WANTS, type TraceRequest } from '#evm/trace/records.ts'

/** Watches a call to find the instruction that ended it with an error. */
export class LastInstruction {
  /** undefined: no instruction of the outermost frame failed. */
  opcode: number | undefined
  readonly #reader = new RecordReader({
    step: ({ op, depth, isFault }) => {
      if (isFault && depth === 0) this.opcode = op
    },
  })
  readonly request: TraceRequest = {
    wants: { ...NO_WANTS, steps: true },
    onRecords: (chunk) => this.#reader.read(chunk),
  }
}
