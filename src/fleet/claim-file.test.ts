import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { identityText, startOf } from '#platform/process/process-identity.ts'
import { ClaimFile } from './claim-file.ts'

const RIVALS = 6

function claimIn(context: TestContext): { file: string; claim: ClaimFile } {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-claim-'))
  context.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'supervisor.pid')
  return { file, claim: new ClaimFile(file) }
}

function spawnIdle(context: TestContext, argv0?: string): number {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
    ...(argv0 !== undefined && { argv0 }),
  })
  context.after(() => child.kill())
  return child.pid!
}

test('the claim of a killed process is replaced, and a live one is not', (context) => {
  const { file, claim } = claimIn(context)
  const other = spawnIdle(context)
  writeFileSync(file, identityText(other))
  assert.equal(claim.pid(), other)
  assert.equal(claim.claim(), false)
  claim.release()
  assert.equal(claim.pid(), other, 'the claim of another process is left alone')
  // The process id now belongs to a program that started later.
  writeFileSync(file, `${other}\nstart:${Number(startOf(other)) - 1}\n`)
  assert.equal(claim.pid(), undefined)
  assert.equal(claim.claim(), true)
  assert.equal(claim.pid(), process.pid)
  claim.release()
  assert.equal(existsSync(file), false)
})

test('a process id without a start time means a cairn network command and no other program', (context) => {
  const { file, claim } = claimIn(context)
  writeFileSync(file, String(spawnIdle(context, '/usr/lib/systemd/systemd-networkd')))
  assert.equal(claim.pid(), undefined)
  assert.equal(claim.claim(), true)
})

test('one of several concurrent processes gets the claim, also over an abandoned one', async (context) => {
  const { file } = claimIn(context)
  writeFileSync(file, '4194303\nstart:1\n')
  const script = `
    const { ClaimFile } = await import(process.argv[1])
    while (Date.now() < Number(process.argv[3])) {}
    const got = new ClaimFile(process.argv[2]).claim()
    console.log(got)
    setTimeout(() => {}, 3_000)
    process.stdin.resume().on('end', () => process.exit())`
  const module = new URL('./claim-file.ts', import.meta.url).href
  const rivals = Array.from({ length: RIVALS }, () => {
    const args = ['--input-type=module', '-e', script, module, file, String(Date.now() + 1_500)]
    const child = execFile(process.execPath, args)
    context.after(() => child.kill())
    return child
  })
  const said = await Promise.all(
    rivals.map(async (child) => String((await once(child.stdout!, 'data'))[0]).trim()),
  )
  assert.deepEqual(said.toSorted(), [...new Array(RIVALS - 1).fill('false'), 'true'])
  const winner = rivals[said.indexOf('true')]!
  assert.equal(Number.parseInt(readFileSync(file, 'utf8'), 10), winner.pid)
  assert.deepEqual(readdirSync(join(file, '..')), ['supervisor.pid'])
})
