import { dataParam } from '#api/schema/values.ts'

const MAX_MESSAGE_BYTES = 128 * 1024

/** The bytes to sign. */
export const MESSAGE = dataParam({ maxBytes: MAX_MESSAGE_BYTES })
