import { array, nullable, number, object } from 'zod'
import { validatorsOf } from '#api/bft-network.ts'
import { defineMethod } from '#api/define-method.ts'
import { AddressText, QuantityText } from '#api/schema/values.ts'
import type { KnownHeader } from '#chain/block/stages.ts'
import { PROPOSER_BY } from '#consensus/bft/proposer.ts'
import { bftProtocolAt, isBftNetwork } from '#consensus/bft/protocol-at.ts'
import { recoverSealers } from '#consensus/bft/refuse-header.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import type { Address } from '#types/address.ts'
import { decodeBftExtraData } from '#types/block/bft-extra-data.ts'
import { formatQuantity } from '#types/hex.ts'

/** Blocks that are read, the head first. */
const READ_BLOCKS = 100

interface Deeds {
  proposal: bigint | undefined
  seal: bigint | undefined
  missed: number
}

export default defineMethod({
  name: 'bft_participation',
  summary:
    'The last proposal, the last seal and the missed rounds of each validator, in the last 100 blocks.',
  needs: ['chain', 'engine'],
  cost: 'heavy',
  params: {},
  result: array(
    object({
      address: AddressText,
      lastProposal: nullable(QuantityText).meta({ description: 'number of the last block that it proposed' }),
      lastSeal: nullable(QuantityText).meta({ description: 'number of the last block with its commit seal' }),
      missedRounds: number().meta({
        description: 'rounds in which it was the proposer and its block was not decided',
      }),
    }),
  ),
  run: async ({ chain, engine }) => {
    const { consensus } = chain.genesis.config
    if (!isBftNetwork(consensus)) throw rpcFault('METHOD_NOT_ENABLED')
    const crypto = await loadCrypto()
    const head = chain.head()
    const validators = (await validatorsOf(chain, engine, head, { isNext: true })) ?? []
    const deeds = new Map<Address, Deeds>(
      validators.map((each) => [each, { proposal: undefined, seal: undefined, missed: 0 }]),
    )
    let unsealed = validators.length
    let block: KnownHeader | undefined = head
    for (let read = 0; read < READ_BLOCKS && block !== undefined && block.header.number > 0n; read++) {
      const { header } = block
      const { protocol } = bftProtocolAt(consensus, header.number)
      // The seals of legacy IBFT are encoded in another way.
      if (protocol === 'ibft') break
      const parent = chain.lookup.header(header.parentHash)
      const proposer = deeds.get(header.coinbase)
      if (proposer !== undefined) proposer.proposal ??= header.number
      const { round, seals } = decodeBftExtraData(protocol, header.extraData)
      // Recovering keys is the work of this method, and few blocks contain the last seals of all.
      for (const sealer of unsealed > 0 ? recoverSealers(protocol, header, seals, crypto) : []) {
        const own = deeds.get(sealer)
        if (own === undefined || own.seal !== undefined) continue
        own.seal = header.number
        unsealed -= 1
      }
      if (round > 0 && parent !== undefined) {
        const then = (await validatorsOf(chain, engine, block, { isNext: false })) ?? []
        for (const missing of proposersBefore(round, block, parent, then)) {
          const own = deeds.get(missing)
          if (own !== undefined) own.missed += 1
        }
      }
      block = parent
    }
    return [...deeds].map(([address, { proposal, seal, missed }]) => ({
      address,
      lastProposal: proposal === undefined ? null : formatQuantity(proposal),
      lastSeal: seal === undefined ? null : formatQuantity(seal),
      missedRounds: missed,
    }))
  },
})

/** The proposers of the earlier rounds of a block, in the order that also yields its author. */
function proposersBefore(
  round: number,
  { header: { coinbase } }: KnownHeader,
  parent: KnownHeader,
  validators: readonly Address[],
): readonly Address[] {
  if (validators.length === 0) return []
  const author = parent.header.coinbase
  const order = Object.values(PROPOSER_BY).find((by) => by(author, validators, round) === coinbase)
  // More rounds than validators miss every validator in turn; the count stays bounded.
  const rounds = Math.min(round, READ_BLOCKS)
  return order === undefined
    ? []
    : Array.from({ length: rounds }, (_, each) => order(author, validators, each))
}
