/** Constant header fields of QBFT and IBFT 2.0. */
import { parseHash } from '#types/hash.ts'

/** "ctical byzantine fault tolerance". */
export const BFT_MIX_HASH = parseHash('63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365')
export const BFT_DIFFICULTY = 1n
