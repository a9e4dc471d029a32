import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decryptKey, encryptKey } from './keystore.ts'
import { systemRandom } from './random.ts'

/**
 * The two examples of the version 3 definition, with the key
 * 7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d.
 */
const KEY = '7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d'
const PBKDF2 = {
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '6087dab2f9fdbbfaddc31a909735c1e6' },
    ciphertext: '5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46',
    kdf: 'pbkdf2',
    kdfparams: {
      c: 262_144,
      dklen: 32,
      prf: 'hmac-sha256',
      salt: 'ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd',
    },
    mac: '517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2',
  },
  id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
  version: 3,
}
const SCRYPT = {
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '83dbcc02d8ccb40e466191a123791e0e' },
    ciphertext: 'd172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c',
    kdf: 'scrypt',
    kdfparams: {
      dklen: 32,
      n: 262_144,
      p: 8,
      r: 1,
      salt: 'ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19',
    },
    mac: '2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097',
  },
  id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
  version: 3,
}

const open = (value: unknown, password = 'testpassword') =>
  Buffer.from(decryptKey(JSON.stringify(value), password, 'key.json')).toString('hex')

test('the two examples of the definition can be decrypted', () => {
  assert.equal(open(PBKDF2), KEY)
  assert.equal(open(SCRYPT), KEY)
})

test('an encrypted key is decrypted only with its password', () => {
  const text = encryptKey(Buffer.from(KEY, 'hex'), 'a b', systemRandom)
  assert.doesNotMatch(text, new RegExp(KEY))
  const parsed = JSON.parse(text)
  assert.equal(parsed.address, '008aeeda4d805471df9b2a5b0f38a0c3bcba786b')
  assert.match(parsed.id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.equal(open(parsed, 'a b'), KEY)
  assert.throws(() => open(parsed, 'a b '), { kind: 'KEYSTORE_REFUSED', message: /password does not open/ })
})

test('a file that asks for too much is refused before any computation', () => {
  const scrypt = (more: object) => ({
    ...SCRYPT,
    crypto: { ...SCRYPT.crypto, kdfparams: { ...SCRYPT.crypto.kdfparams, ...more } },
  })
  const pbkdf2 = (more: object) => ({
    ...PBKDF2,
    crypto: { ...PBKDF2.crypto, kdfparams: { ...PBKDF2.crypto.kdfparams, ...more } },
  })
  const cases: [unknown, RegExp][] = [
    [scrypt({ n: 2 ** 30 }), /more memory or time/],
    [scrypt({ r: 2 ** 20 }), /more memory or time/],
    [scrypt({ p: 2 ** 20 }), /more memory or time/],
    [scrypt({ n: 3 }), /scrypt parameters are invalid/],
    [scrypt({ n: 0 }), /scrypt parameters are invalid/],
    [scrypt({ r: -1 }), /scrypt parameters are invalid/],
    [scrypt({ n: '262144' }), /scrypt parameters are invalid/],
    [scrypt({ dklen: 1e9 }), /dklen is not 32/],
    [scrypt({ salt: 'ab'.repeat(2_000) }), /salt is not of the right length/],
    [scrypt({ salt: 'zz' }), /salt is not of the right length/],
    [pbkdf2({ c: 1e12 }), /rounds is not between/],
    [pbkdf2({ c: 0 }), /rounds is not between/],
    [pbkdf2({ prf: 'hmac-md5' }), /prf is not/],
    [{ ...SCRYPT, version: 1 }, /version is another/],
    [{ ...SCRYPT, crypto: { ...SCRYPT.crypto, kdf: 'argon2' } }, /neither scrypt nor pbkdf2/],
    [{ ...SCRYPT, crypto: { ...SCRYPT.crypto, cipher: 'aes-256-gcm' } }, /cipher is not/],
    [{ ...SCRYPT, crypto: { ...SCRYPT.crypto, ciphertext: 'ab' } }, /ciphertext is not of the right length/],
    [{ ...SCRYPT, crypto: null }, /no part crypto/],
    [[], /no content/],
    [null, /no content/],
  ]
  for (const [value, message] of cases)
    assert.throws(() => open(value), { kind: 'KEYSTORE_REFUSED', message })
  assert.throws(() => decryptKey('{', 'x', 'f'), { kind: 'KEYSTORE_REFUSED', message: /it is not JSON/ })
})

test('a changed digit of the ciphertext is detected by its mac', () => {
  const changed = {
    ...PBKDF2,
    crypto: { ...PBKDF2.crypto, ciphertext: `6${PBKDF2.crypto.ciphertext.slice(1)}` },
  }
  assert.throws(() => open(changed), { kind: 'KEYSTORE_REFUSED' })
})
