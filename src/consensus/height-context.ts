import type { NextMakers } from '#chain/write/head-news.ts'
import type { GenesisConfig } from '#types/genesis/genesis-config.ts'
import type { HeightContext } from './bft/events.ts'
import { bftProtocolAt, bftSettingsAt } from './bft/protocol-at.ts'

const SECOND_MS = 1_000

/** undefined: nobody makes the next block. It is of legacy IBFT, or the last validator was voted out. */
export function heightContextOf(config: GenesisConfig, next: NextMakers): HeightContext | undefined {
  const { parent, validators } = next
  const number = BigInt(parent.number + 1)
  const active = bftProtocolAt(config.consensus, number)
  if (active.protocol === 'ibft' || validators.length === 0) return undefined
  const settingsAt = (timestamp: number) => bftSettingsAt(config, { number, timestamp: BigInt(timestamp) })
  const settings = settingsAt(parent.timestamp)
  // The block may fall behind a transition by time that its period is for; the longer of both is waited for.
  const then = settingsAt(parent.timestamp + settings.blockPeriodSeconds)
  const seconds = Math.max(settings.blockPeriodSeconds, then.blockPeriodSeconds)
  return {
    height: parent.number + 1,
    parent: { hash: parent.hash, timestampSeconds: parent.timestamp, coinbase: parent.coinbase },
    validators,
    period:
      settings.blockPeriodMilliseconds > 0 ? { milliseconds: settings.blockPeriodMilliseconds } : { seconds },
    emptyBlockPeriodSeconds: settings.emptyBlockPeriodSeconds,
    requestTimeoutMs: active.config.requestTimeoutSeconds * SECOND_MS,
  }
}
