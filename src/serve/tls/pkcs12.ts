import { createDecipheriv, pbkdf2Sync, X509Certificate } from 'node:crypto'
import {
  DER_CONTEXT_0,
  DER_CONTEXT_0_PLAIN,
  DER_INTEGER,
  DER_OCTETS,
  DER_SEQUENCE,
  type DerElement,
  derContent,
  derElements,
  derMembers,
  derNumber,
  derOid,
} from './der.ts'

/*
 * Reads the certificates of a PKCS#12 file (RFC 7292). Node reads such a file only if it holds a private key, and a
 * truststore holds none. The file's checksum is not verified: an attacker who can change the file can also replace it.
 */

const DATA = '1.2.840.113549.1.7.1'
const ENCRYPTED_DATA = '1.2.840.113549.1.7.6'
const CERTIFICATE_BAG = '1.2.840.113549.1.12.10.1.3'
const X509_CERTIFICATE = '1.2.840.113549.1.9.22.1'
const PBES2 = '1.2.840.113549.1.5.13'
const PBKDF2 = '1.2.840.113549.1.5.12'

const CIPHERS: Readonly<Record<string, readonly [name: string, keyBytes: number]>> = {
  '2.16.840.1.101.3.4.1.2': ['aes-128-cbc', 16],
  '2.16.840.1.101.3.4.1.22': ['aes-192-cbc', 24],
  '2.16.840.1.101.3.4.1.42': ['aes-256-cbc', 32],
}

const HMAC_SHA1 = '1.2.840.113549.2.7'
const DIGESTS: Readonly<Record<string, string>> = {
  [HMAC_SHA1]: 'sha1',
  '1.2.840.113549.2.9': 'sha256',
  '1.2.840.113549.2.10': 'sha384',
  '1.2.840.113549.2.11': 'sha512',
}

/** The encryption of files written before about 2021, which OpenSSL 3 does not support either. */
export class OutdatedEncryption extends Error {
  override readonly name = 'OutdatedEncryption'
}

/** Returns PEM texts. Throws if the file is not PKCS#12 or the password is wrong. */
export function readCertificates(file: Uint8Array, password: string): string[] {
  const [pfx] = derElements(file)
  const [, authSafe] = derMembers(pfx, DER_SEQUENCE)
  const safes = derElements(plainContent(authSafe))
  const certificates: string[] = []
  for (const safe of derMembers(safes[0], DER_SEQUENCE)) {
    for (const bag of derMembers(derElements(safeContent(safe, password))[0], DER_SEQUENCE)) {
      const certificate = certificateIn(bag)
      if (certificate !== undefined) certificates.push(certificate)
    }
  }
  return certificates
}

function plainContent(contentInfo: DerElement | undefined): Uint8Array {
  const [type, content] = derMembers(contentInfo, DER_SEQUENCE)
  if (derOid(type) !== DATA) throw new RangeError('the file is signed with a key, not with a password')
  return derContent(derMembers(content, DER_CONTEXT_0)[0], DER_OCTETS)
}

function safeContent(safe: DerElement, password: string): Uint8Array {
  const [type, content] = derMembers(safe, DER_SEQUENCE)
  if (derOid(type) === DATA) return plainContent(safe)
  if (derOid(type) !== ENCRYPTED_DATA) throw new RangeError('a part of the file has an unknown type')
  const [encryptedData] = derMembers(content, DER_CONTEXT_0)
  const [, info] = derMembers(encryptedData, DER_SEQUENCE)
  const [, algorithm, encrypted] = derMembers(info, DER_SEQUENCE)
  return decrypt(algorithm, derContent(encrypted, DER_CONTEXT_0_PLAIN), password)
}

function decrypt(algorithm: DerElement | undefined, encrypted: Uint8Array, password: string): Uint8Array {
  const [scheme, parameters] = derMembers(algorithm, DER_SEQUENCE)
  if (derOid(scheme) !== PBES2) throw new OutdatedEncryption(`encryption ${derOid(scheme)}`)
  const [derivation, encryption] = derMembers(parameters, DER_SEQUENCE)
  const [derivationId, derivationParameters] = derMembers(derivation, DER_SEQUENCE)
  const [cipherId, iv] = derMembers(encryption, DER_SEQUENCE)
  const cipher = CIPHERS[derOid(cipherId)]
  if (derOid(derivationId) !== PBKDF2 || cipher === undefined) {
    throw new OutdatedEncryption(`encryption ${derOid(cipherId)} with ${derOid(derivationId)}`)
  }
  const [salt, iterations, ...optional] = derMembers(derivationParameters, DER_SEQUENCE)
  // A key length may be between the count and the hash function; the cipher determines it as well.
  const prf = optional.find(({ tag }) => tag !== DER_INTEGER)
  const digest = DIGESTS[prf === undefined ? HMAC_SHA1 : derOid(derMembers(prf, DER_SEQUENCE)[0])]
  if (digest === undefined) throw new OutdatedEncryption('an unknown hash function')
  const [name, keyBytes] = cipher
  const key = pbkdf2Sync(password, derContent(salt, DER_OCTETS), derNumber(iterations), keyBytes, digest)
  const decipher = createDecipheriv(name, key, derContent(iv, DER_OCTETS))
  return Buffer.concat([decipher.update(encrypted), decipher.final()])
}

function certificateIn(bag: DerElement): string | undefined {
  const [bagType, value] = derMembers(bag, DER_SEQUENCE)
  if (derOid(bagType) !== CERTIFICATE_BAG) return undefined
  const [certificateBag] = derMembers(value, DER_CONTEXT_0)
  const [certificateType, content] = derMembers(certificateBag, DER_SEQUENCE)
  if (derOid(certificateType) !== X509_CERTIFICATE) return undefined
  const der = derContent(derMembers(content, DER_CONTEXT_0)[0], DER_OCTETS)
  return new X509Certificate(Buffer.from(der)).toString()
}
