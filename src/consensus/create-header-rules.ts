/** Implements the header rules interface of `chain` for the consensus of a genesis file. */
import {
  type CreateHeaderRules,
  createPlainHeaderRules,
  type HeaderRules,
  type HeaderRulesTools,
} from '#chain/rules/header-rules.ts'
import type { StateReader } from '#store/store.ts'
import { assert } from '#types/assert.ts'
import { Fault } from '#types/fault.ts'
import { bftProtocolAt, bftSettingsAt, isBftNetwork } from './bft/protocol-at.ts'
import { refuseBftHeader, refuseEncoding, refuseLegacyIbftHeader } from './bft/refuse-header.ts'
import { ValidatorSets } from './validators/validator-sets.ts'

export const createHeaderRules: CreateHeaderRules = (tools) =>
  isBftNetwork(tools.genesis.config.consensus) ? createBftHeaderRules(tools) : createPlainHeaderRules(tools)

/** Other errors are not the header's fault. */
const SAID_OF_HEADER: ReadonlySet<string> = new Set([
  'INVALID_EXTRA_DATA',
  'INVALID_SIGNATURE',
  'VALIDATOR_CONTRACT_FAILED',
])

function createBftHeaderRules({
  genesis: { config },
  crypto,
  engine,
  clock,
  findHeader,
}: HeaderRulesTools): HeaderRules {
  const sets = new ValidatorSets({ config, crypto, engine, findHeader })
  return {
    needsState: (parent) => sets.contractAfter(parent.header) !== undefined,
    validatorSetAfter: async (parent, parentState) => ({
      validators: await sets.after(parent, () => parentState),
      votes: sets.tallyAfter(parent)?.votes,
    }),
    refuseEncoding: (header) => {
      const { protocol } = bftProtocolAt(config.consensus, header.number)
      return protocol === 'ibft' ? undefined : refuseEncoding(protocol, header)
    },
    verifyHeader: async (header, parent, _rules, validation, parentState) => {
      const { protocol } = bftProtocolAt(config.consensus, header.number)
      if (parentState === undefined && sets.contractAfter(parent.header) !== undefined) {
        return 'The state of its parent is not at hand, and a contract in it names the validators.'
      }
      const stateOf = (): StateReader => {
        assert(parentState !== undefined, 'The validator contract is read from the state of the parent.')
        return parentState
      }
      try {
        const context = {
          header,
          parent: parent.header,
          validators: await sets.after(parent, stateOf),
          settings: bftSettingsAt(config, header),
          nowMs: clock.wallMs(),
          hasSeals: validation === 'full',
          crypto,
        }
        return protocol === 'ibft' ? refuseLegacyIbftHeader(context) : refuseBftHeader(protocol, context)
      } catch (error) {
        if (error instanceof Fault && SAID_OF_HEADER.has(error.kind)) return error.data.sentence
        throw error
      }
    },
  }
}
