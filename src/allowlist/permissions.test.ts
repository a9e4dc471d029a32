import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { createLog } from '#platform/log/log.ts'
import { createMetrics } from '#platform/metrics/metrics.ts'
import { countTurns } from '#platform/next-turn.fixture.ts'
import { POLL_MS } from './file-watch.ts'
import { type ChangeOrigin, Permissions } from './permissions.ts'

const folder = mkdtempSync(join(tmpdir(), 'cairn-permissions-'))
after(() => rmSync(folder, { recursive: true }))

const account = (digit: number | string) => `0x${String(digit).padStart(40, '0')}`
const [ONE, TWO, THREE] = [account(1), account(2), account(3)]
const ALICE: ChangeOrigin = {
  via: 'perm_addAccountsToAllowlist',
  user: 'alice',
  remoteAddress: '192.0.2.7',
  requestId: 'http-1',
}

interface LogLine {
  readonly level: string
  readonly msg: string
  readonly fields?: Readonly<Record<string, unknown>>
}

async function load(content: string, watchesFile = false) {
  const path = join(mkdtempSync(join(folder, 'file-')), 'permissions.toml')
  writeFileSync(path, content)
  const lines: LogLine[] = []
  const clock = createFakeClock()
  const log = createLog({
    level: 'INFO',
    format: 'JSON',
    clock,
    destination: { write: (line) => lines.push(JSON.parse(line)) },
  })
  const permissions = await Permissions.load({ accountsFile: path, watchesFile }, { clock, log })
  const { accounts } = permissions
  assert(accounts)
  lines.length = 0
  return {
    permissions,
    path,
    lines,
    clock,
    accounts,
    text: () => readFileSync(path, 'utf8'),
    add: (...entries: string[]) => permissions.add(accounts, entries, ALICE),
    remove: (...entries: string[]) => permissions.remove(accounts, entries, ALICE),
  }
}

const OK = { ok: true }
const refused = (reason: string) => ({ ok: false, reason })
const listed = (...entries: string[]) => `accounts-allowlist=${JSON.stringify(entries)}\n`

test('every account may send without a file, and only listed accounts with one', async () => {
  const { clock, permissions } = await load(listed(ONE))
  assert.equal(permissions.mayTransact(ONE), true)
  assert.equal(permissions.mayTransact(TWO), false)
  const log = createLog({ level: 'OFF' })
  const open = await Permissions.load({ accountsFile: undefined, watchesFile: true }, { clock, log })
  assert.equal(open.mayTransact(TWO), true)
  assert.equal(open.isEnabled, false)
})

test('lookups are counted under the metric names of Besu', async () => {
  const metrics = createMetrics({ prefix: 'besu_', onSourceError: assert.fail })
  const { path, clock } = await load(listed(ONE))
  const parts = { clock, log: createLog({ level: 'OFF' }), metrics }
  const permissions = await Permissions.load({ accountsFile: path, watchesFile: false }, parts)
  for (const sender of [ONE, TWO, ONE]) permissions.mayTransact(sender)
  const { body } = await metrics.exposition()
  assert.match(body, /^besu_permissioning_account_local_check_count_total 3$/m)
  assert.match(body, /^besu_permissioning_account_local_check_count_permitted_total 2$/m)
  assert.match(body, /^besu_permissioning_account_local_check_count_unpermitted_total 1$/m)
})

test('loading does not write the file', async () => {
  const { text } = await load(`# mine\naccounts-allowlist=["0X${'AA'.repeat(20)}"]`)
  assert.equal(text(), `# mine\naccounts-allowlist=["0X${'AA'.repeat(20)}"]`)
})

test('a change is in the file once it is in force, and the log names its origin', async () => {
  const { add, remove, accounts, text, lines, permissions, path } = await load(`# top\n${listed(ONE)}x=1\n`)
  const heard: unknown[] = []
  accounts.changed.subscribe((change) => heard.push(change))
  assert.deepEqual(await add(TWO, THREE), OK)
  assert.equal(text(), `# top\naccounts-allowlist=["${ONE}","${TWO}","${THREE}"]\nx=1\n`)
  assert.deepEqual(await remove(ONE, THREE), OK)
  assert.equal(text(), `# top\naccounts-allowlist=["${TWO}"]\nx=1\n`)
  assert.deepEqual(accounts.all(), [TWO])
  assert.equal(permissions.mayTransact(ONE), false)
  assert.deepEqual(heard, [
    { added: [TWO, THREE], removed: [] },
    { added: [], removed: [ONE, THREE] },
  ])
  assert.equal(lines.length, 2)
  assert.equal(lines[0]?.msg, 'Changed allowlist')
  assert.deepEqual(lines[0]?.fields, {
    list: 'accounts',
    ...ALICE,
    path,
    added: [TWO, THREE],
    removed: [],
    countBefore: 1,
    countAfter: 3,
    before: [ONE],
    after: [ONE, TWO, THREE],
  })
})

test('one wrong entry refuses the complete request, and nothing is written', async () => {
  const { add, remove, accounts, text, lines } = await load(listed(ONE))
  assert.deepEqual(await add(TWO, ONE), refused('EXISTING'))
  assert.deepEqual(await remove(ONE, TWO), refused('ABSENT'))
  assert.deepEqual(accounts.all(), [ONE])
  assert.equal(text(), listed(ONE))
  assert.deepEqual(lines, [])
})

test('concurrent changes run one after the other', async () => {
  const { add, remove, accounts, text, permissions } = await load(listed())
  const adding = Array.from({ length: 20 }, (_, index) => add(account(index + 10)))
  const verdicts = await Promise.all([...adding, add(account(10)), remove(account(11)), add(account(11))])
  assert.deepEqual(verdicts.slice(20), [refused('EXISTING'), OK, OK])
  assert.equal(accounts.all().length, 20)
  assert.equal(text(), listed(...accounts.all()))
  assert.equal(accounts.all().at(-1), account(11))
  assert.deepEqual(await permissions.reload(ALICE), OK)
})

test('a file that lacks entries in force stays unchanged, and the change is in force', async () => {
  const { add, remove, accounts, path, text, lines } = await load(listed(ONE, TWO))
  for (const broken of [listed(TWO), 'nodes-allowlist=[]\n', 'accounts-allowlist=["0x']) {
    writeFileSync(path, broken)
    lines.length = 0
    assert.deepEqual(await add(THREE), refused('FILE_SYNC'))
    assert.deepEqual(accounts.all(), [ONE, TWO, THREE])
    assert.deepEqual(
      lines.map(({ level }) => level),
      ['WARN', 'INFO'],
    )
    assert.deepEqual(await remove(THREE), refused('FILE_SYNC'))
    assert.deepEqual(accounts.all(), [ONE, TWO])
    assert.equal(text(), broken)
  }
})

test('a change removes accounts from the file that were never in force, with a warning', async () => {
  const { add, path, text, lines } = await load(listed(ONE))
  writeFileSync(path, listed(ONE, account(99)))
  assert.deepEqual(await add(TWO), OK)
  assert.equal(text(), listed(ONE, TWO))
  assert.equal(lines[0]?.level, 'WARN')
  assert.deepEqual(lines[0]?.fields?.dropped, [account(99)])
})

test('a missing file reverts the change, and the log says why', async () => {
  const { add, accounts, path, lines } = await load(listed(ONE))
  rmSync(path)
  assert.deepEqual(await add(TWO), refused('PERSIST_FAILURE'))
  assert.deepEqual(accounts.all(), [ONE])
  assert.match(String(lines[0]?.fields?.reason), /permissions\.toml does not exist/)
})

test('an edit saved during a change is not lost', async () => {
  const { add, permissions, accounts, path, text } = await load(listed(ONE))
  const byHand = `# by hand\n${listed(ONE)}`
  // Editors write a new file and rename it. The change reads the file and finds it changed before replacing it.
  let saves = 0
  const adding = add(TWO)
  const save = (): void => {
    writeFileSync(`${path}.swp`, `${byHand}# ${saves++}\n`)
    renameSync(`${path}.swp`, path)
  }
  while (saves < 50 && !accounts.has(TWO)) {
    save()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const verdict = await adding
  assert.ok(text().startsWith('# by hand\n'), text())
  assert.ok(verdict.ok || verdict.reason === 'FILE_SYNC', JSON.stringify(verdict))
  assert.deepEqual(await permissions.reload(ALICE), OK)
})

test('reloading puts the file in force, and keeps the list if the file is broken', async () => {
  const { permissions, accounts, path, lines } = await load(listed(ONE))
  writeFileSync(path, listed(TWO))
  assert.deepEqual(await permissions.reload(ALICE), OK)
  assert.deepEqual(accounts.all(), [TWO])
  assert.deepEqual([lines[0]?.fields?.before, lines[0]?.fields?.after], [[ONE], [TWO]])
  lines.length = 0
  assert.deepEqual(await permissions.reload(ALICE), OK)
  assert.equal(lines.length, 0, 'nothing changed')
  writeFileSync(path, 'accounts-allowlist=["0x1"]')
  assert.deepEqual(await permissions.reload(ALICE), { ok: false })
  assert.deepEqual(accounts.all(), [TWO])
  assert.match(String(lines[0]?.fields?.reason), /Invalid account 0x1 in accounts-allowlist, line 1/)
  writeFileSync(path, 'accounts-allowlist=[]')
  assert.deepEqual(await permissions.reload(ALICE), OK)
  assert.deepEqual(accounts.all(), [])
})

test('a watched file is loaded once it is stable, and a broken one is logged once', async () => {
  const { permissions, accounts, path, lines, clock } = await load(listed(ONE), true)
  permissions.startWatching()
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      clock.advance(POLL_MS)
      // Stopping waits for the running poll.
      await permissions.stopWatching()
      permissions.startWatching()
    }
  }
  await pass(3)
  assert.equal(lines.length, 0)
  writeFileSync(path, listed(TWO))
  await pass(1)
  assert.deepEqual(accounts.all(), [ONE], 'it may still be written')
  await pass(2)
  assert.deepEqual(accounts.all(), [TWO])
  assert.equal(lines.at(-1)?.fields?.via, 'file watch')
  lines.length = 0
  writeFileSync(path, 'accounts-allowlist=[')
  await pass(5)
  assert.deepEqual(accounts.all(), [TWO])
  assert.deepEqual(
    lines.map(({ level }) => level),
    ['WARN'],
  )
  lines.length = 0
  rmSync(path)
  await pass(5)
  assert.equal(lines.length, 1)
  writeFileSync(path, listed(THREE))
  await pass(3)
  assert.deepEqual(accounts.all(), [THREE])
  await permissions.stopWatching()
  assert.equal(clock.pendingTimers, 0)
})

test('a file that is not watched is not read again until a reload', async () => {
  const { permissions, accounts, path, clock } = await load(listed(ONE))
  permissions.startWatching()
  assert.equal(clock.pendingTimers, 0)
  writeFileSync(path, listed(TWO))
  assert.deepEqual(accounts.all(), [ONE])
})

test('a start without a usable file is refused', async () => {
  const log = createLog({ level: 'OFF' })
  const at = (path: string) =>
    Permissions.load({ accountsFile: path, watchesFile: false }, { clock: createFakeClock(), log })
  const away = join(folder, 'away.toml')
  await assert.rejects(
    at(away),
    new RegExp(
      `^Fault: Unable to read permissioning TOML config file : ${away} Configuration file does not exist`,
    ),
  )
  await assert.rejects(at(folder), /is a directory, not a file/)
  writeFileSync(join(folder, 'large.toml'), '#'.repeat(4 * 1024 * 1024 + 1))
  await assert.rejects(at(join(folder, 'large.toml')), /at most 4194304 are accepted/)
})

const manyAccounts = (count: number) => Array.from({ length: count }, (_, number) => account(number))

test('a change of a long list yields to other work', async () => {
  const { add, remove } = await load(listed(...manyAccounts(9_000)))
  const added = account('a'.repeat(40))
  for (const change of [add, remove]) {
    const counting = countTurns()
    assert.deepEqual(await change(added), OK)
    const turns = counting.stop()
    assert.ok(turns >= 8, `${turns} turns`)
  }
})

test('a file that is or would become too long is not changed by methods, and can be reloaded', async () => {
  const { add, remove, text, accounts, permissions, path } = await load(listed(...manyAccounts(11_600)))
  const before = text()
  assert.deepEqual(await add(...Array.from({ length: 100 }, (_, n) => account(`b${n}`))), refused('TOO_LONG'))
  assert.equal(text(), before)
  assert.equal(accounts.has(account('b0')), false)
  writeFileSync(path, listed(...manyAccounts(20_000)))
  assert.deepEqual(await permissions.reload(ALICE), OK)
  assert.deepEqual(await remove(account(1)), refused('TOO_LONG'))
  assert.equal(accounts.has(account(1)), true)
})

test('a comparison shows the changes that a reload would make, and changes nothing', async () => {
  const { permissions, path, accounts, text } = await load(listed(ONE, TWO))
  writeFileSync(path, listed(TWO, THREE))
  const before = text()
  const [compared, same] = await Promise.all([permissions.compare(), permissions.compare()])
  assert.equal(compared, same, 'callers share one comparison')
  assert.deepEqual(compared, [
    {
      list: 'accounts',
      file: path,
      inForce: 2,
      inFile: 2,
      added: [THREE],
      addedCount: 1,
      removed: [ONE],
      removedCount: 1,
      problem: null,
      readOnly: null,
    },
  ])
  assert.deepEqual([accounts.all(), text()], [[ONE, TWO], before])
  await permissions.reload(ALICE)
  assert.deepEqual([(await permissions.compare())![0]!.addedCount, accounts.all()], [0, [TWO, THREE]])
})

test('a comparison with an unusable file has the reason', async () => {
  const { permissions, path } = await load(listed(ONE))
  writeFileSync(path, 'accounts-allowlist=["<img src=x>"]')
  assert.match((await permissions.compare())![0]!.problem!, /Invalid account <img src=x>/)
  rmSync(path)
  const [compared] = (await permissions.compare())!
  assert.match(compared!.problem!, /does not exist/)
  assert.match(compared!.readOnly!, /permissions\.toml/)
  assert.equal(compared!.inFile, null)
})

test('a long difference is cut, and its count is complete', async () => {
  const { permissions, path } = await load(listed(ONE))
  writeFileSync(path, listed(...Array.from({ length: 1_500 }, (_, number) => account(number + 10))))
  const [compared] = (await permissions.compare())!
  assert.deepEqual([compared!.added.length, compared!.addedCount, compared!.inFile], [1_000, 1_500, 1_500])
})

test('a tried change has the outcome of the change, and changes nothing', async () => {
  const { permissions, accounts, path, text } = await load(listed(ONE))
  writeFileSync(path, listed(ONE, TWO))
  const before = text()
  const tried = await permissions.tryChange('add', accounts, [THREE])
  assert.deepEqual(tried, { ok: true, before: 1, after: 2, dropped: [TWO], droppedCount: 1 })
  assert.deepEqual(await permissions.tryChange('add', accounts, [ONE]), refused('EXISTING'))
  assert.deepEqual(await permissions.tryChange('remove', accounts, [TWO]), refused('ABSENT'))
  assert.deepEqual([accounts.all(), text()], [[ONE], before])
  writeFileSync(path, listed(TWO))
  assert.deepEqual(await permissions.tryChange('add', accounts, [THREE]), refused('FILE_SYNC'))
  rmSync(path)
  assert.deepEqual(await permissions.tryChange('add', accounts, [THREE]), refused('PERSIST_FAILURE'))
})
