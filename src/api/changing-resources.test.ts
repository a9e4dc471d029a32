import assert from 'node:assert/strict'
import { test } from 'node:test'
import { any } from 'zod'
import {
  type AuditEntry,
  type AuditOutcome,
  CHANGE_SUBJECTS,
  type ChangeSubject,
} from '#jsonrpc/audit/audit-entry.ts'
import { chunksOf, setUp } from '#jsonrpc/dispatch/dispatch.fixture.ts'
import { CONTRACTS, type Live } from './contracts.ts'
import { defineMethod } from './define-method.ts'
import { METHODS } from './methods.generated.ts'
import { API } from './served-api.ts'

/** Verbs of operations that belong in the audit log. */
const CHANGING = /^(add|remove|set|change|propose|discard|reload|write|delete|update|enable|disable)(?![a-z])/
/** Clients remove their own filters. */
const UNAUDITED = ['filters.remove']
/** The contract of the development chain, whose operations are not audited. */
const DEVELOPMENT = 'dev'

test('every operation of main that is called like a change says what it changes', () => {
  const production = Object.entries(CONTRACTS).filter(([contract]) => contract !== DEVELOPMENT)
  const silent = production.flatMap(([contract, table]) =>
    Object.entries(table).flatMap(([name, row]) =>
      CHANGING.test(name) && 'deadlineMs' in row && row.changes === undefined ? [`${contract}.${name}`] : [],
    ),
  )
  assert.deepEqual(silent, UNAUDITED)
})

test('the audit log knows every subject of a change', () => {
  const named = Object.values(CONTRACTS).flatMap((table) =>
    Object.values(table).flatMap((row) =>
      'changes' in row && row.changes !== undefined ? [row.changes] : [],
    ),
  )
  assert.deepEqual(new Set(named), new Set(CHANGE_SUBJECTS))
})

test('the methods that change something are these', () => {
  const changing = METHODS.flatMap(({ name, changes }) =>
    changes === undefined ? [] : [`${name}: ${changes.what}`],
  )
  assert.deepEqual(changing.sort(), [
    'admin_addPeer: peers',
    'admin_changeLogLevel: log levels',
    'admin_removePeer: peers',
    'debug_setHead: head',
    'ibft_discardValidatorVote: votes',
    'ibft_proposeValidatorVote: votes',
    'miner_changeTargetGasLimit: block making',
    'miner_setExtraData: block making',
    'miner_setMinGasPrice: block making',
    'miner_setMinPriorityFee: block making',
    'perm_addAccountsToAllowlist: allowlists',
    'perm_addNodesToAllowlist: allowlists',
    'perm_reloadPermissionsFromFile: allowlists',
    'perm_removeAccountsFromAllowlist: allowlists',
    'perm_removeNodesFromAllowlist: allowlists',
    'plugins_reloadPluginConfig: plugins',
    'qbft_discardValidatorVote: votes',
    'qbft_proposeValidatorVote: votes',
  ])
})

function tryVote(changes: ChangeSubject | undefined) {
  const told: [string, AuditEntry, AuditOutcome][] = []
  const votes: string[] = []
  let begun: AuditEntry | undefined
  const consensus = {
    pendingVotes: async () => votes.map((recipient) => ({ recipient, type: 'add' })),
    proposeVote: async (recipient: string) => void votes.push(recipient),
  } as unknown as Live['consensus']
  const audit: Live['audit'] = {
    begin: async (_subject, entry) => {
      begun = entry
      return { kind: 'turn', turn: 1 }
    },
    end: async (_turn, outcome) => void told.push([changes!, begun!, outcome]),
    tail: async () => undefined,
  }
  const method = defineMethod({
    name: 'test_vote',
    summary: '',
    needs: ['consensus'],
    params: {},
    ...(changes && {
      changes: {
        what: changes,
        observe: async ({ consensus }: Pick<Live, 'consensus'>) => ({
          votes: (await consensus.pendingVotes()).map(({ recipient }) => recipient),
        }),
      },
    }),
    result: any(),
    run: async ({ consensus }) => {
      await consensus.proposeVote('0x01' as never, 'add')
      return true
    },
  })
  const { resources } = setUp([])
  const { dispatch } = setUp([method], { api: API, resources: { ...resources, consensus, audit } })
  const call = async () =>
    (await chunksOf(await dispatch('{"id":1,"method":"test_vote","params":[]}'))).join('')
  return { call, told, votes }
}

test('a method that does not say that it changes something cannot', async () => {
  const { call, votes, told } = tryVote(undefined)
  assert.match(await call(), /-32603/)
  assert.deepEqual([votes, told], [[], []])
})

test('a method that declares another change cannot either', async () => {
  const { call, votes, told } = tryVote('peers')
  assert.match(await call(), /-32603/)
  assert.deepEqual(votes, [])
  assert.match(JSON.stringify(told), /"error":\{"code":-32603/)
})

test('a method that declares its change is logged with the difference', async () => {
  const { call, votes, told } = tryVote('votes')
  assert.match(await call(), /"result":true/)
  assert.deepEqual(votes, ['0x01'])
  const [, entry, outcome] = told[0]!
  assert.equal(entry.method, 'test_vote')
  assert.deepEqual(outcome, {
    result: true,
    before: { votes: { count: 0, gone: [] } },
    after: { votes: { count: 1, came: ['0x01'] } },
  })
})
