/**
 * The room of exchange: the protocol `eth` between peers (`wire/`), what this node answers (`serve/`), and how it catches up
 * with others and follows them. It reads the chain and hands blocks to the writer through a port; which blocks are valid is
 * for the writer to say. Everything that arrives is hostile until it is decoded within limits and fits what was asked for.
 */
import { Fault, type FaultData } from '#types/fault.ts'

/** A peer sent bytes that are not a message of the protocol `eth`. */
export function ethFault(
  sentence: string,
  data: Omit<FaultData, 'sentence'> = {},
): Fault<'INVALID_ETH_MESSAGE'> {
  return new Fault('INVALID_ETH_MESSAGE', { ...data, sentence })
}
