import type { BftStatus, ValidatorStatus } from '#consensus/status.ts'
import { formatQuantity } from '#types/hex.ts'

export function presentBftStatus(status: BftStatus) {
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
