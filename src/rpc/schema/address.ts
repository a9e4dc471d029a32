import { string } from 'zod'
import { Param } from '#rpc/param.ts'
import { parseAddress } from '#types/address.ts'
import { parsedBy } from './parsed-text.ts'

/** A 20-byte address in a result. */
export const AddressText = string()
  .regex(/^0x[0-9a-f]{40}$/)
  .meta({ title: 'address', description: '0x and 40 hex digits' })

export const AddressWire = string()
  .meta({
    title: 'address parameter',
    description: '40 hex digits, with or without 0x',
    pattern: '^(0x)?[0-9a-fA-F]{40}$',
  })
  .transform(parsedBy(parseAddress))

/** An address as a parameter. */
export const Address = new Param(AddressWire, 'INVALID_ADDRESS_PARAMS')
