import { string } from 'zod'
import { Param } from '#rpc/param.ts'
import { parseData } from '#types/hex.ts'
import { parsedBy } from './parsed-text.ts'

export interface DataLimits {
  readonly maxBytes: number
  /** Whether '' stands for no bytes, which otherwise only 0x does. */
  readonly mayBeBlank?: boolean
}

/** Bytes on the wire, each as two hex digits behind one 0x. */
export function dataParam({ maxBytes, mayBeBlank = false }: DataLimits): Param<Uint8Array> {
  const wire = string().meta({
    description: `0x and two hex digits per byte, at most ${maxBytes} bytes`,
    pattern: mayBeBlank ? '^(0x([0-9a-fA-F]{2})*)?$' : '^0x([0-9a-fA-F]{2})*$',
  })
  const bytes = wire.transform(
    parsedBy((text) => parseData(mayBeBlank && text === '' ? '0x' : text, maxBytes)),
  )
  return new Param<Uint8Array>(bytes, 'INVALID_DATA_PARAMS')
}

/** Bytes in a result. */
export const DataText = string()
  .regex(/^0x([0-9a-f]{2})*$/)
  .meta({ title: 'data', description: '0x and two hex digits per byte' })

/** Hex digits in a result, not always two per byte: Besu writes no code as 0x0. */
export const HexText = string()
  .regex(/^0x[0-9a-f]*$/)
  .meta({ title: 'hex', description: '0x and hex digits' })
