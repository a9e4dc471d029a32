import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type Authenticator, createAuthenticator } from '#jsonrpc/auth/create-authenticator.ts'
import { createAuthMetrics } from '#jsonrpc/auth/refusals.ts'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { createLog } from '#platform/log/log.ts'
import { createMetrics } from '#platform/metrics/metrics.ts'
import { createMatrix, MATRIX_METHOD, type MatrixSetting } from './matrix.ts'

const CASES_MIN = 500
const folder = mkdtempSync(join(tmpdir(), 'cairn-matrix-'))
after(() => rmSync(folder, { recursive: true }))
const clock = createFakeClock()
const metrics = createAuthMetrics(createMetrics({ prefix: '', onSourceError: () => undefined }))
const log = createLog({ level: 'OFF', fd: 1, format: 'JSON', destination: { write: () => undefined } })

function createFor({ name, algorithm, publicKeyPem }: MatrixSetting, noAuth: string[]): Authenticator {
  const file = join(folder, `${name}.pem`)
  writeFileSync(file, publicKeyPem)
  return createAuthenticator(
    { mode: 'publicKey', file, algorithm, noAuthMethods: noAuth },
    { clock, log, metrics, admitLogin: () => assert.fail(), passwords: null },
  )
}

test('every token of the matrix is judged as it should, at first sight and when seen again', () => {
  const { settings, cases } = createMatrix(clock.wallMs() / 1_000)
  assert.ok(cases.length >= CASES_MIN, `${cases.length} cases`)
  assert.equal(new Set(cases.map(({ name }) => name)).size, cases.length, 'two cases have the same name')
  const judges = new Map(settings.map((setting) => [setting.name, createFor(setting, [])]))
  const free = new Map(settings.map((setting) => [setting.name, createFor(setting, [MATRIX_METHOD])]))
  for (const round of ['first', 'again']) {
    for (const { name, setting, token, expect } of cases) {
      const judge = judges.get(setting)
      const verdict = judge?.identify(`Bearer ${token}`).mayCall(MATRIX_METHOD) ? 'allowed' : 'refused'
      assert.equal(verdict, expect, `${name}, ${round}`)
      assert.equal(judge?.refusesUnread(`Bearer ${token}`), false, name)
      assert.equal(free.get(setting)?.identify(`Bearer ${token}`).mayCall(MATRIX_METHOD), true, name)
    }
  }
})
