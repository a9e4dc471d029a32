/** Determines the proposer order next to GoQuorum validators, because GoQuorum sorts them differently after a restart. */
import { type Address, addressFromRlp } from '#types/address.ts'
import { decodeBftExtraData } from '#types/block/bft-extra-data.ts'
import { ordersDiffer } from '#types/block/proposer-order.ts'
import { Fault } from '#types/fault.ts'
import { parseData } from '#types/hex.ts'
import type { JsonObject } from '#types/json/json-value.ts'
import { decodeRlp, listFromRlp } from '#types/rlp.ts'
import type { Note } from './migration-notes.ts'

export interface ProposerAdvice {
  /** Lines of the configuration file. */
  readonly config: readonly string[]
  readonly note: Note
}

const VANITY_BYTES = 32
const WHAT = 'proposer-order'
const LINE = 'bft-proposer-order = "CHECKSUM"'

/** `lastExtraData` is from the last block; without it, the validators of the genesis file count. */
export function adviseProposerOrder(
  genesis: JsonObject,
  lastExtraData: Uint8Array | undefined,
): ProposerAdvice {
  const validators = validatorsIn(lastExtraData ?? genesisExtraData(genesis))
  if (validators.length === 0) {
    return {
      config: [
        '# GoQuorum sorts proposers otherwise after a restart. If bft_status reports it, set this on every Cairn node:',
        `# ${LINE}`,
      ],
      note: [
        WHAT,
        'ignored',
        `the validators are not known here; if bft_status reports another order, set ${LINE}`,
      ],
    }
  }
  if (!ordersDiffer(validators)) {
    return {
      config: [],
      note: [WHAT, 'kept', `the same in GoQuorum for these ${validators.length} validators`],
    }
  }
  return {
    config: [
      '# As GoQuorum after a restart. The same on every Cairn node; remove it from all when no GoQuorum validator is left.',
      LINE,
    ],
    note: [
      WHAT,
      'replaced',
      `GoQuorum's differs for these ${validators.length} validators; set ${LINE} on every Cairn node`,
    ],
  }
}

function genesisExtraData(genesis: JsonObject): Uint8Array {
  const text = genesis.get('extraData')
  try {
    return typeof text === 'string' ? parseData(text) : new Uint8Array(0)
  } catch (error) {
    if (error instanceof Fault) return new Uint8Array(0)
    throw error
  }
}

/**
 * Reads the validators of a QBFT block, or of an IBFT block, which GoQuorum writes after a vanity. Empty if a contract
 * holds them, or if they are unknown.
 */
function validatorsIn(extraData: Uint8Array): readonly Address[] {
  for (const read of [readQbft, readIbft]) {
    try {
      return read(extraData)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
    }
  }
  return []
}

function readQbft(extraData: Uint8Array): readonly Address[] {
  return decodeBftExtraData('qbft', extraData).validators
}

function readIbft(extraData: Uint8Array): readonly Address[] {
  const [validators = []] = listFromRlp(decodeRlp(extraData.subarray(VANITY_BYTES)))
  return listFromRlp(validators).map(addressFromRlp)
}
