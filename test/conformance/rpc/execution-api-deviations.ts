/**
 * execution-apis exchanges that contradict rpc-spec or the recordings, which take precedence, and the expected
 * answers. Keys are paths below execution-apis/tests.
 */
import { type Deviation, resultInstead } from './deviation.ts'

const withTotalDifficulty = (totalDifficulty: string): Deviation =>
  resultInstead('execution-apis-total-difficulty', (block: object) => ({ ...block, totalDifficulty }))

export const EXECUTION_API_DEVIATIONS: Readonly<Record<string, Deviation>> = {
  'eth_getBlockByHash/get-block-by-hash.io': withTotalDifficulty('0x40000'),
  'eth_getBlockByNumber/get-block-london-fork.io': withTotalDifficulty('0x381d40'),
  'eth_getBlockByNumber/get-genesis.io': withTotalDifficulty('0x20000'),
}
