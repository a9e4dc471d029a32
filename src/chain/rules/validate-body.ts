/** Checks that a body matches its header and fits its fork. */

import type { ReceivedBlock } from '#chain/block/stages.ts'
import type { Rules } from '#evm/rules.ts'
import type { BlockBody } from '#types/block/block.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import { ommersHash, transactionsRoot, withdrawalsRoot } from '#types/block/block-roots.ts'
import type { Keccak } from '#types/keccak.ts'
import { refuseSize } from './block-size.ts'

/** Returns the problem as a sentence, or undefined if the body is valid. Ommers are checked in validate-ommers.ts. */
export function refuseBody(received: ReceivedBlock, rules: Rules, keccak: Keccak): string | undefined {
  const { block, bodyBytes } = received
  const { header, transactions, ommers, withdrawals } = block
  if (rules.consensus === 'bft') {
    const foreign = refuseForeignItems(block)
    if (foreign !== undefined) return foreign
  }
  return (
    refuseSize(header, bodyBytes, rules) ??
    refuseRoot('transactions', header.transactionsRoot, transactionsRoot(transactions, keccak)) ??
    refuseRoot('ommers', header.ommersHash, ommersHash(ommers, keccak)) ??
    refuseWithdrawals(header, withdrawals && withdrawalsRoot(withdrawals, keccak), rules)
  )
}

/** BFT networks have neither mining nor a beacon chain. Besu credits withdrawals there; see docs/reference/compatibility.md. */
function refuseForeignItems({ ommers, withdrawals = [] }: BlockBody): string | undefined {
  if (ommers.length > 0) return `The block names ${ommers.length} ommers, which BFT networks do not have.`
  if (withdrawals.length === 0) return undefined
  return `The block has ${withdrawals.length} withdrawals, which BFT networks do not have.`
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
