import { array, boolean, literal, nullable, number, object, string } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { AddressText, QuantityText } from '#api/schema/values.ts'
import { isBftNetwork } from '#consensus/bft/protocol-at.ts'
import type { BftStatus, ValidatorStatus } from '#consensus/status.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { PROPOSER_ORDERS } from '#types/block/proposer-order.ts'
import { formatQuantity } from '#types/hex.ts'

const Validator = object({
  address: AddressText,
  self: boolean(),
  connected: boolean(),
  proposed: boolean(),
  prepared: boolean(),
  committed: boolean(),
  wantsRound: nullable(number()),
  lastHeard: nullable(string()).meta({
    description: 'time of its last message; null if there was none since the start',
  }),
  encoding: nullable(literal(['legacy', 'current'])),
})

const Status = object({
  protocol: literal(['qbft', 'ibft2']),
  height: QuantityText.meta({ description: 'number of the block that is being built' }),
  round: nullable(number()).meta({ description: 'null until the block is due' }),
  stage: string(),
  self: AddressText,
  validator: boolean().meta({ description: 'whether the key of this node is in the validator set' }),
  proposer: AddressText,
  proposerOrder: literal(PROPOSER_ORDERS).meta({
    description: 'order in which validators take turns at this height; see --bft-proposer-order',
  }),
  roundLeftMs: nullable(number()),
  blockLeftMs: nullable(number()),
  quorum: object({
    validators: number(),
    needed: number(),
    tolerated: number().meta({ description: 'validators that may be silent without stopping the chain' }),
    heard: number().meta({ description: 'validators that took part in this height, this node included' }),
    prepares: number(),
    preparesNeeded: number(),
    commits: number(),
  }),
  validators: array(Validator),
  time: string().meta({ description: 'the clock of this node' }),
  lastPersistMs: number().meta({ description: 'time until the last signature was on disk' }),
  cause: string().meta({ description: 'why the chain is stalled, or the event it waits for' }),
})

export default defineMethod({
  name: 'bft_status',
  summary: 'The state of consensus and, if the chain is stalled, why.',
  needs: ['chain', 'consensus'],
  params: {},
  result: nullable(Status),
  run: async ({ chain, consensus }) => {
    if (!isBftNetwork(chain.genesis.config.consensus)) throw rpcFault('METHOD_NOT_ENABLED')
    const status = await consensus.status()
    return status === undefined ? null : presentBftStatus(status)
  },
})

function presentBftStatus(status: BftStatus) {
  const { protocol, stage, self, proposer, proposerOrder, quorum, lastPersistMs, cause } = status
  return {
    protocol,
    height: formatQuantity(BigInt(status.height)),
    round: status.round ?? null,
    stage,
    self,
    validator: status.isValidator,
    proposer,
    proposerOrder,
    roundLeftMs: status.roundLeftMs ?? null,
    blockLeftMs: status.blockLeftMs ?? null,
    quorum,
    validators: status.validators.map(presentValidator),
    time: new Date(status.wallMs).toISOString(),
    lastPersistMs,
    cause,
  }
}

function presentValidator(validator: ValidatorStatus) {
  const { address, lastHeardMs } = validator
  return {
    address,
    self: validator.isSelf,
    connected: validator.isConnected,
    proposed: validator.hasProposed,
    prepared: validator.hasPrepared,
    committed: validator.hasCommitted,
    wantsRound: validator.wantsRound ?? null,
    lastHeard: lastHeardMs === undefined ? null : new Date(lastHeardMs).toISOString(),
    encoding: validator.generation ?? null,
  }
}
