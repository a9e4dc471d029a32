/**
 * Attacks on discovery and RLPx, with limits for the node's resources. CAIRN_WRITE_ATTACKS=1 writes the table of
 * docs/internals/security/p2p.md.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { systemClock } from '#platform/clock.ts'
import { watchMachine } from '../../support/busy-machine.ts'
import { ATTACKS, type Attack } from './attacks.ts'
import { startTarget } from './start-target.ts'

const MIB = 1024 * 1024
/** Maximum growth at the end of an attack, including uncollected garbage. */
const GROWTH_MAX_BYTES = 50 * MIB
/** Maximum memory in use after the attacker is gone. */
const HELD_MAX_BYTES = 5 * MIB
const LAG_MAX_MS = 200
const SOCKETS_GONE_MS = 6_000

const { to, pid, feel, end } = await startTarget('127.0.0.1', ['--expose-gc'])
after(end)

const rows: string[] = []

for (const attack of ATTACKS) {
  test(`the node withstands ${attack.name}`, async (t) => {
    const machine = watchMachine(pid)
    const felt = await withstand(attack)
    const megabytes = (bytes: number) => Math.max(0, bytes / 1e6).toFixed(0)
    t.diagnostic(`grew by ${megabytes(felt.growthBytes)} MB, holds ${megabytes(felt.heldBytes)} MB`)
    assert.ok(felt.lagMs < LAG_MAX_MS, `other peers waited for ${Math.round(felt.lagMs)} ms`)
    assert.ok(felt.heldBytes < HELD_MAX_BYTES, `${megabytes(felt.heldBytes)} MB are held after the attack`)
    // On a busy machine the garbage collector runs late.
    if (!machine.isBusy(t)) {
      assert.ok(felt.growthBytes < GROWTH_MAX_BYTES, `memory grew by ${megabytes(felt.growthBytes)} MB`)
    }
    rows.push(
      `| ${attack.name} | ${megabytes(felt.growthBytes)} MB | ${felt.lagMs.toFixed(0)} ms | ${felt.cpuMs.toFixed(0)} ms |`,
    )
  })
}

interface Felt {
  readonly growthBytes: number
  readonly heldBytes: number
  readonly lagMs: number
  readonly cpuMs: number
}

async function withstand(attack: Attack): Promise<Felt> {
  // The first call collects the garbage of earlier attacks.
  await feel()
  const before = await feel()
  await attack.run(to)
  const during = await feel()
  const endMs = systemClock.monotonicMs() + SOCKETS_GONE_MS
  let last = during
  // V8 frees a buffer on another thread, some time after the collection.
  while (
    (last.sockets > 0 || last.heldBytes - before.heldBytes >= HELD_MAX_BYTES) &&
    systemClock.monotonicMs() < endMs
  ) {
    await new Promise((resolve) => void setTimeout(resolve, 100))
    last = await feel()
  }
  assert.equal(last.sockets, 0, 'sockets are open')
  assert.equal(last.peers, 0)
  return {
    growthBytes: during.rssBytes - before.rssBytes,
    heldBytes: last.heldBytes - before.heldBytes,
    lagMs: during.lagMs,
    cpuMs: during.cpuMs - before.cpuMs,
  }
}

test('the table of results has every attack', () => {
  const path = join(import.meta.dirname, '..', '..', '..', 'docs', 'internals', 'security', 'p2p.md')
  if (process.env.CAIRN_WRITE_ATTACKS === '1') writeFileSync(path, `${INTRODUCTION}${rows.join('\n')}\n`)
  // The numbers differ between runs.
  const withoutNumbers = (text: string) => text.replace(/^\| ([^|]+) \| \d+ MB .*$/gm, '| $1 |')
  const expected = `${INTRODUCTION}${ATTACKS.map(({ name }) => `| ${name} |`).join('\n')}\n`
  assert.equal(withoutNumbers(readFileSync(path, 'utf8')), expected)
})

const INTRODUCTION = `# Attacks by peers

Written by \`CAIRN_WRITE_ATTACKS=1 node --test test/adversarial/p2p-attacks/p2p-attacks.test.ts\`. The test fails if one
attack makes the process grow by more than ${GROWTH_MAX_BYTES / MIB} MiB (judged only on an idle machine), if the node holds more than ${HELD_MAX_BYTES / MIB} MiB
afterwards, computes for more than ${LAG_MAX_MS} ms in one turn, or keeps a socket of the attacker open ${SOCKETS_GONE_MS / 1_000} s later. The node runs in
a separate process on loopback; the numbers come from one run on a busy machine.

| Attack | Memory growth | Longest turn | Node CPU |
|---|---|---|---|
`
