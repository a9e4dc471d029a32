import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'

/* Certificates created by the machine's openssl, because Node can read but not create them. */

export const PASSWORD = 'pass word'

export interface MadeCertificate {
  readonly keyFile: string
  readonly certificateFile: string
  readonly key: string
  readonly certificate: string
}

const folder = mkdtempSync(join(tmpdir(), 'cairn-tls-'))
after(() => rmSync(folder, { recursive: true }))

export const hasOpenSsl = ((): boolean => {
  try {
    openssl('version')
    return true
  } catch {
    return false
  }
})()

export function pathIn(name: string): string {
  return join(folder, name)
}

export function write(name: string, content: string | Uint8Array): string {
  writeFileSync(pathIn(name), content)
  return pathIn(name)
}

export const passwordFile = write('password', `${PASSWORD}\nsecond line\n`)

export function openssl(...args: string[]): string {
  return execFileSync('openssl', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

/** A certificate signed by `issuer`, or by itself. */
export function makeCertificate(commonName: string, issuer?: MadeCertificate): MadeCertificate {
  const keyFile = pathIn(`${commonName}.key`)
  const certificateFile = pathIn(`${commonName}.pem`)
  const subject = ['-subj', `/CN=${commonName}`, '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', keyFile]
  const signer = issuer === undefined ? [] : ['-CA', issuer.certificateFile, '-CAkey', issuer.keyFile]
  openssl('req', '-x509', '-days', '2', ...key, ...subject, ...signer, '-out', certificateFile)
  const [keyText, certificate] = [keyFile, certificateFile].map((file) => readFileSync(file, 'utf8'))
  return { keyFile, certificateFile, key: keyText!, certificate: certificate! }
}

/** A keystore contains the key. */
export function makeKeystore(name: string, made: MadeCertificate): string {
  const files = ['-inkey', made.keyFile, '-in', made.certificateFile, '-out', pathIn(name)]
  openssl('pkcs12', '-export', ...files, '-passout', `pass:${PASSWORD}`)
  return pathIn(name)
}

/** A truststore contains no key. */
export function makeTruststore(
  name: string,
  certificates: readonly MadeCertificate[],
  ...flags: string[]
): string {
  const all = write(`${name}.in`, certificates.map(({ certificate }) => certificate).join('\n'))
  openssl(
    'pkcs12',
    '-export',
    '-nokeys',
    '-in',
    all,
    '-out',
    pathIn(name),
    '-passout',
    `pass:${PASSWORD}`,
    ...flags,
  )
  return pathIn(name)
}

export function fingerprint({ certificateFile }: MadeCertificate): string {
  return openssl('x509', '-in', certificateFile, '-noout', '-fingerprint', '-sha256').trim().split('=')[1]!
}
