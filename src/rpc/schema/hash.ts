import { string } from 'zod'

/** A 32-byte hash on the wire. */
export const HashText = string().meta({
  title: 'hash',
  description: '0x and 64 hex digits',
  pattern: '^0x[0-9a-f]{64}$',
})
