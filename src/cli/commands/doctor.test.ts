import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { main } from '#cli/main.ts'

interface Said {
  readonly code: number
  readonly text: string
}

async function setUp(context: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-doctor-'))
  const heard: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (piece) => {
      body += piece
    })
    request.on('end', () => {
      heard.push(`${request.url} ${request.headers.authorization ?? '-'} ${body.slice(0, 60)}`)
      const isLogin = request.url === '/login'
      const isKnown = isLogin ? body.includes('"right"') : request.headers.authorization === 'Bearer token.1'
      response.statusCode = isKnown ? 200 : 401
      response.end(!isKnown ? 'Unauthorized' : isLogin ? '{"token":"token.1"}' : '[]')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  context.after(() => {
    server.close()
    server.closeAllConnections()
    rmSync(folder, { recursive: true })
  })
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const doctor = async (args: readonly string[], input = '', typed?: string): Promise<Said> => {
    const said: string[] = []
    const io = {
      out: (text: string) => void said.push(text),
      err: (text: string) => void said.push(text),
      draw: () => undefined,
      readInput: () => input,
      readSecretLine: () => (typed === undefined ? undefined : Promise.resolve(typed)),
      columns: undefined,
    }
    const code = await main([`--data-path=${join(folder, 'data')}`, 'doctor', ...args], io)
    return { code, text: said.join('') }
  }
  return { doctor, heard, file, url }
}

test('the doctor logs in with a password from a file, the terminal or standard input', async (context) => {
  const { doctor, heard, file, url } = await setUp(context)
  const user = [`--against=${url}`, '--against-user=anna']
  const passwordFile = `--against-password-file=${file('password', 'right\n')}`
  for (const [args, input, typed] of [
    [[...user, passwordFile], '', undefined],
    [user, 'right\nmore', undefined],
    [user, '', 'right'],
  ] as const) {
    heard.length = 0
    const { text } = await doctor(args, input, typed)
    assert.doesNotMatch(text, /other-node|right/)
    assert.match(heard.at(-1)!, /Bearer token\.1/)
  }
})

test('the doctor sends a token from a file', async (context) => {
  const { doctor, heard, file, url } = await setUp(context)
  const { text } = await doctor([`--against=${url}`, `--against-token-file=${file('token', 'token.1\n')}`])
  assert.doesNotMatch(text, /other-node|token\.1/)
  assert.equal(heard.length, 1)
})

test('a login that is missing, wrong or incomplete is named', async (context) => {
  const { doctor, heard, file, url } = await setUp(context)
  const against = `--against=${url}`
  const wrong = file('wrong', 'wrong-secret')
  for (const [args, sentence] of [
    [[against], /refuses calls without a token \(401 Unauthorized\)/],
    [[against, '--against-user=anna', `--against-password-file=${wrong}`], /refuses this user and password/],
    [[against, `--against-token-file=${wrong}`], /refuses this token/],
    [[against, `--against-token-file=${file('two', 'a b')}`], /must hold one token/],
    [[against, `--against-token-file=${file('none', '\n')}`], /must hold one token/],
    [[against, '--against-user=anna', `--against-token-file=${wrong}`], /one login is enough/],
    [[against, `--against-password-file=${wrong}`], /needs --against-user/],
    [[against, '--against-user=anna'], /There is no password/],
    [['--against-user=anna'], /--against-user needs --against/],
  ] as const) {
    const { code, text } = await doctor(args)
    assert.notEqual(code, 0)
    assert.match(text, sentence)
    assert.doesNotMatch(text, /wrong-secret/)
  }
  assert.ok(heard.every((each) => !each.includes('two')))
})
