/** That a body is the one its header names, and one that a block of its fork may have. */

import type { ReceivedBlock } from '#chain/write/stages.ts'
import type { Rules } from '#evm/rules.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import { ommersHash, transactionsRoot, withdrawalsRoot } from '#types/block/block-roots.ts'
import type { Keccak } from '#types/keccak.ts'

/** EIP-7934, from Osaka on: bytes of a block, 10 MiB with 2 MiB left for what carries it. */
const MAX_OSAKA_BLOCK_BYTES = 8 * 1024 * 1024

/** What is wrong with the body, as a sentence; undefined if nothing is. Ommers are validate-ommers.ts. */
export function refuseBody(received: ReceivedBlock, rules: Rules, keccak: Keccak): string | undefined {
  const { block, size } = received
  const { header, transactions, ommers, withdrawals } = block
  if (rules.has('osaka') && size > MAX_OSAKA_BLOCK_BYTES) {
    return `The block has ${size} bytes, more than ${MAX_OSAKA_BLOCK_BYTES}.`
  }
  return (
    refuseRoot('transactions', header.transactionsRoot, transactionsRoot(transactions, keccak)) ??
    refuseRoot('ommers', header.ommersHash, ommersHash(ommers, keccak)) ??
    refuseWithdrawals(header, withdrawals && withdrawalsRoot(withdrawals, keccak), rules)
  )
}

function refuseRoot(what: string, stated: string, computed: string): string | undefined {
  if (stated === computed) return undefined
  return `The header names ${what} with root ${stated}, and those in the body have ${computed}.`
}

function refuseWithdrawals(
  header: BlockHeader,
  computed: string | undefined,
  rules: Rules,
): string | undefined {
  if ((computed !== undefined) !== rules.has('shanghai')) {
    const word = computed === undefined ? 'lacks' : 'has'
    return `The body ${word} a list of withdrawals, which does not fit ${rules.fork}.`
  }
  return computed === undefined
    ? undefined
    : refuseRoot('withdrawals', header.withdrawalsRoot ?? 'none', computed)
}
