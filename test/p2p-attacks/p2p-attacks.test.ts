/* Attacks on the wires, with limits on what the node may feel. CAIRN_WRITE_ATTACKS=1 writes the table of docs/security/p2p.md. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { systemClock } from '#platform/clock.ts'
import { ATTACKS, type Attack } from './attacks.ts'
import { startTarget } from './start-target.ts'

const GROWTH_MAX_BYTES = 50 * 1024 * 1024
const LAG_MAX_MS = 200
const SOCKETS_GONE_MS = 6_000

const { to, feel, end } = await startTarget()
after(end)

const rows: string[] = []

for (const attack of ATTACKS) {
  test(`the node withstands ${attack.name}`, async () => {
    const felt = await withstand(attack)
    assert.ok(felt.lagMs < LAG_MAX_MS, `others waited for ${Math.round(felt.lagMs)} ms`)
    const megabytes = Math.max(0, felt.growthBytes / 1e6).toFixed(0)
    rows.push(
      `| ${attack.name} | ${megabytes} MB | ${felt.lagMs.toFixed(0)} ms | ${felt.cpuMs.toFixed(0)} ms |`,
    )
  })
}

async function withstand(attack: Attack): Promise<{ growthBytes: number; lagMs: number; cpuMs: number }> {
  const before = await feel()
  const growthPerAttack = (now: typeof before, attacks: number) => (now.rssBytes - before.rssBytes) / attacks
  await attack.run(to)
  let during = await feel()
  let growthBytes = growthPerAttack(during, 1)
  // What waits for the collector is memory too, and the next attack makes it come: what is held grows as much again.
  if (growthBytes >= GROWTH_MAX_BYTES) {
    await attack.run(to)
    during = await feel()
    growthBytes = growthPerAttack(during, 2)
  }
  const endMs = systemClock.monotonicMs() + SOCKETS_GONE_MS
  let last = during
  while (last.sockets > 0 && systemClock.monotonicMs() < endMs) {
    await new Promise((resolve) => void setTimeout(resolve, 100))
    last = await feel()
  }
  assert.equal(last.sockets, 0, 'sockets are open')
  assert.equal(last.peers, 0)
  assert.ok(growthBytes < GROWTH_MAX_BYTES, `memory grew by ${Math.round(growthBytes / 1e6)} MB`)
  return { growthBytes, lagMs: during.lagMs, cpuMs: during.cpuMs - before.cpuMs }
}

test('the table of results has every attack', () => {
  const path = join(import.meta.dirname, '..', '..', 'docs', 'security', 'p2p.md')
  if (process.env.CAIRN_WRITE_ATTACKS === '1') writeFileSync(path, `${INTRODUCTION}${rows.join('\n')}\n`)
  // Numbers differ from run to run.
  const withoutNumbers = (text: string) => text.replace(/^\| ([^|]+) \| \d+ MB .*$/gm, '| $1 |')
  const expected = `${INTRODUCTION}${ATTACKS.map(({ name }) => `| ${name} |`).join('\n')}\n`
  assert.equal(withoutNumbers(readFileSync(path, 'utf8')), expected)
})

const INTRODUCTION = `# Attacks on the wires

Written by \`CAIRN_WRITE_ATTACKS=1 node --test test/p2p-attacks/p2p-attacks.test.ts\`, which fails when memory grows by
more than 50 MB, the node computes for more than 200 ms without giving others their turn, or a socket of the attacker is open 6 s later. One node in a process
of its own, on loopback; the numbers are of one run on a machine with other work.

| Attack | Memory grew by | Longest turn | CPU of the node |
|---|---|---|---|
`
