/** The consensus status on a conversation's chain, as its first validator sees it half a second after the head. */

import { secondsOf } from '#chain/execute/execute.ts'
import type { Chain } from '#chain/write/create-chain.ts'
import { heightContextOf } from '#consensus/bft/protocol-at.ts'
import { BftDriver } from '#consensus/driver.ts'
import type { DriverParts } from '#consensus/driver-parts.ts'
import { createIbft2Rules } from '#consensus/ibft2/rules.ts'
import { createIbft2Codec } from '#consensus/ibft2/wire/ibft2-codec.ts'
import { NO_NETWORK } from '#consensus/network.fixture.ts'
import { createQbftRules } from '#consensus/qbft/rules.ts'
import { createQbftCodec } from '#consensus/qbft/wire/qbft-codec.ts'
import { type BftStatus, bftStatus } from '#consensus/status.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { createLog } from '#platform/log/log.ts'
import { assert } from '#types/assert.ts'
import type { Genesis } from '#types/genesis/genesis.ts'

const AFTER_HEAD_MS = 500

export async function localStatus(chain: Chain, { config }: Genesis): Promise<BftStatus | undefined> {
  const next = await chain.nextValidators()
  if (next === undefined) return undefined
  const { hash, header } = next.parent
  const timestamp = secondsOf(header)
  const parent = { number: Number(header.number), hash, timestamp, coinbase: header.coinbase }
  const context = heightContextOf(config, { parent, ...next.validatorSet })
  const [address] = next.validatorSet.validators
  assert(context !== undefined && address !== undefined, 'A conversation chain has a next validator set.')
  const crypto = await loadCrypto()
  const isQbft = config.consensus.protocol === 'qbft' || config.consensus.protocol === 'migration'
  const unasked = () => Promise.reject(new Error('The block period has not ended yet.'))
  const parts: DriverParts = {
    clock: createFakeClock(timestamp * 1_000 + AFTER_HEAD_MS),
    log: createLog({ level: 'ERROR' }),
    keccak: crypto.keccak,
    address,
    signDigest: unasked,
    blocks: { build: unasked, validate: unasked, keccak: unasked, importBlock: unasked },
    network: NO_NETWORK,
    signatureLog: { loaded: undefined, save: async () => {}, close: async () => {} },
    rulesAt: () => (isQbft ? createQbftRules : createIbft2Rules)({ maxRoundTimeoutMs: 60_000 }),
    codecAt: () => (isQbft ? createQbftCodec : createIbft2Codec)(crypto, 'current'),
    limits: {
      maxDistance: 10,
      maxMessages: 100,
      maxBytes: 1_000_000,
      duplicateMessages: 100,
      gossipedMessages: 100,
    },
    signsWithoutLog: true,
    onPeerAhead: () => {},
    onReport: () => {},
  }
  const driver = new BftDriver(parts)
  driver.headMoved(context)
  return bftStatus(driver, parts, { clockAheadMs: 0, importProblem: undefined })
}
