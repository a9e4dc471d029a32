/**
 * The room `sync` owns the `eth` protocol (`wire/`): serving peers (`serve/`), catching up (`catch-up/`), following new
 * blocks and transactions (`follow/`) and repairing old blocks from peers (`repair/`). It reads the chain and sends blocks to the writer, which decides whether they are valid.
 * Everything received is hostile until it is decoded within limits and matches a request.
 */
import { Fault, type FaultData } from '#types/fault.ts'

/** A peer sent an invalid `eth` message. */
export function ethFault(
  sentence: string,
  data: Omit<FaultData, 'sentence'> = {},
): Fault<'INVALID_ETH_MESSAGE'> {
  return new Fault('INVALID_ETH_MESSAGE', { ...data, sentence })
}
