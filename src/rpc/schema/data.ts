import { NEVER, string } from 'zod'
import { Param } from '#rpc/param.ts'
import { Fault } from '#types/fault.ts'
import { parseData } from '#types/hex.ts'

export interface DataLimits {
  readonly maxBytes: number
  /** Whether '' stands for no bytes, which otherwise only 0x does. */
  readonly mayBeBlank?: boolean
}

/** Bytes on the wire, each as two hex digits behind one 0x. */
export function dataParam({ maxBytes, mayBeBlank = false }: DataLimits): Param<Uint8Array> {
  const wire = string().meta({
    title: 'data',
    description: `0x and two hex digits per byte, at most ${maxBytes} bytes`,
    pattern: mayBeBlank ? '^(0x([0-9a-fA-F]{2})*)?$' : '^0x([0-9a-fA-F]{2})*$',
  })
  const bytes = wire.transform((text, context) => {
    try {
      return parseData(mayBeBlank && text === '' ? '0x' : text, maxBytes)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      context.addIssue(error.message)
      return NEVER
    }
  })
  return new Param<Uint8Array>(bytes, 'INVALID_DATA_PARAMS')
}
