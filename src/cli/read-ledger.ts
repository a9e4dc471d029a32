import type { Ledger } from '#chain/ledger/ledger.ts'
import type { Settings } from '#config/settings.ts'
import { readLedgerSettings } from '#node/ledger.ts'

/** The ledger that a command opens, with the engine that the environment chooses. */
export function readLedger(settings: Settings): Ledger {
  return readLedgerSettings(settings, process.env.CAIRN_ENGINE)
}
