import { object } from 'zod'
import { briefKind } from '#api/calls/brief-kind.ts'
import { estimateGas } from '#api/calls/estimate.ts'
import { usualGasPrice, usualPriorityFee } from '#api/calls/usual-prices.ts'
import { defineMethod } from '#api/define-method.ts'
import { atLeast, atMost } from '#api/fee-bounds.ts'
import { presentAuthorization } from '#api/present/block.ts'
import { readState } from '#api/read-state.ts'
import type { Resources } from '#api/resources.ts'
import { CallObject } from '#api/schema/call-object.ts'
import { TransactionResult } from '#api/schema/results.ts'
import { LATEST, PENDING } from '#api/schema/values.ts'
import type { BuildingSettings } from '#chain/build/building-settings.ts'
import { nextHeader, type UpcomingBlock } from '#chain/read/call-site.ts'
import type { CallRequest } from '#evm/simulate/call-request.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { type Address, addressToBytes, ZERO_ADDRESS } from '#types/address.ts'
import { formatData, formatQuantity } from '#types/hex.ts'

/** Multiple of the base fee, so it may rise while the transaction waits. */
const BASE_FEES = 2n

const FilledTransaction = TransactionResult.pick({
  type: true,
  from: true,
  nonce: true,
  to: true,
  gas: true,
  value: true,
  input: true,
  gasPrice: true,
  maxFeePerGas: true,
  maxPriorityFeePerGas: true,
  chainId: true,
  accessList: true,
  authorizationList: true,
}).meta({ title: 'filled transaction' })

interface Resolved {
  readonly building: BuildingSettings
  readonly nextNonce: bigint | undefined
  /** Added by eth_sendTransaction of the development network. */
  readonly next?: UpcomingBlock
}

export default defineMethod({
  name: 'eth_fillTransaction',
  summary: 'A transaction completed with nonce, gas and prices, ready to be signed.',
  needs: ['chain', 'engine', 'limits', 'building', 'pool'],
  cost: 'medium',
  params: { transaction: CallObject },
  briefKind: (params) => {
    const kind = briefKind(params)
    return kind && `fill ${kind}`
  },
  result: object({ tx: FilledTransaction }),
  resolve: async ({ building, pool }, { transaction: { from = ZERO_ADDRESS } }): Promise<Resolved> => {
    const [settings, nextNonce] = await Promise.all([building.settings(), pool.nextNonce(from)])
    return { building: settings, nextNonce }
  },
  run: async (resources, { transaction: call }, context) => {
    const { building, nextNonce, next } = context.resolved
    requireFillable(resources, call)
    const { from = ZERO_ADDRESS, to = null, value = 0n, accessList, authorizations, data } = call
    const prices = pricesOf(resources, call, building)
    const hasFees = 'maxFeePerGas' in prices
    const type = authorizations !== undefined ? 4 : hasFees ? 2 : accessList !== undefined ? 1 : 0
    const gas =
      call.gas ??
      (await estimateGas(resources, { call, block: PENDING, stateOverrides: undefined, next }, context))
    const { chainId } = resources.chain.genesis.config
    return {
      tx: {
        type: formatQuantity(type),
        from,
        nonce: formatQuantity(call.nonce ?? nonceAfter(resources, from, nextNonce)),
        to,
        gas: formatQuantity(gas),
        value: formatQuantity(value),
        input: formatData(data ?? new Uint8Array(0)),
        gasPrice: formatQuantity(hasFees ? prices.maxFeePerGas : prices.gasPrice),
        maxFeePerGas: hasFees ? formatQuantity(prices.maxFeePerGas) : undefined,
        maxPriorityFeePerGas: hasFees ? formatQuantity(prices.maxPriorityFeePerGas) : undefined,
        chainId: chainId === undefined ? undefined : formatQuantity(chainId),
        accessList: type === 0 ? undefined : (accessList ?? []),
        authorizationList: authorizations?.map(presentAuthorization),
      },
    }
  },
})

function requireFillable({ chain }: Pick<Resources, 'chain'>, call: CallRequest): void {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas, blobVersionedHashes, chainId, authorizations } = call
  const refused = (data: string) => rpcFault('INVALID_CALL_PARAMS', { data })
  if (chainId !== undefined && chainId !== chain.genesis.config.chainId) throw rpcFault('WRONG_CHAIN_ID')
  if (blobVersionedHashes !== undefined) throw refused('Transactions with blobs are not filled in.')
  if (gasPrice !== undefined && (maxFeePerGas ?? maxPriorityFeePerGas) !== undefined) {
    throw refused('A transaction has a gas price, or a highest fee and a priority fee.')
  }
  if (gasPrice !== undefined && authorizations !== undefined) {
    throw refused('A transaction with authorizations has a highest fee and a priority fee.')
  }
  if (authorizations?.some(({ authority }) => authority !== undefined)) {
    throw refused('Authorizations are signed.')
  }
}

type Prices =
  | { readonly gasPrice: bigint }
  | { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }

function pricesOf(
  resources: Pick<Resources, 'chain' | 'limits'>,
  call: CallRequest,
  { minGasPriceWei, minPriorityFeeWei }: BuildingSettings,
): Prices {
  if (call.gasPrice !== undefined) return { gasPrice: call.gasPrice }
  const { chain } = resources
  const { baseFeePerGas } = nextHeader(chain.genesis, chain.head().header)
  if (baseFeePerGas === undefined) return { gasPrice: usualGasPrice(resources, minGasPriceWei) }
  const { maxFeePerGas } = call
  const usual = usualPriorityFee(resources, minPriorityFeeWei)
  const tip = call.maxPriorityFeePerGas ?? atMost(usual, maxFeePerGas ?? usual)
  const sufficient = atLeast(BASE_FEES * baseFeePerGas + tip, minGasPriceWei)
  return { maxPriorityFeePerGas: tip, maxFeePerGas: maxFeePerGas ?? sufficient }
}

/** The nonce after the sender's transactions in the pool. */
function nonceAfter(
  { chain }: Pick<Resources, 'chain'>,
  sender: Address,
  pooled: bigint | undefined,
): bigint {
  const nonce = readState(chain, LATEST, (state) => state.account(addressToBytes(sender))?.nonce ?? 0n) ?? 0n
  return atLeast(nonce, pooled ?? 0n)
}
