// a transaction with the nonce of its sender
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["0xf8650684773594008252089422222222222222222222222222222222222222220180820a95a02dba400e0b5be1f62302a0d8d61b63d8a100e90d3029990b669acb93d0ce7071a0174d71d95453455699ac9302941a57abdacca8cf5a41d6af411249ee9aeac2f0"]}
<< {"jsonrpc":"2.0","id":1,"result":"0xedf4cdbd347c44a24680d5c065e1213b9acf69d10b6abe4fb81067bc497e182c"}

// the same again
>> {"jsonrpc":"2.0","id":2,"method":"eth_sendRawTransaction","params":["0xf8650684773594008252089422222222222222222222222222222222222222220180820a95a02dba400e0b5be1f62302a0d8d61b63d8a100e90d3029990b669acb93d0ce7071a0174d71d95453455699ac9302941a57abdacca8cf5a41d6af411249ee9aeac2f0"]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"Known transaction","data":"The transaction is in the pool already."}}

// 0x may be missing
>> {"jsonrpc":"2.0","id":3,"method":"eth_sendRawTransaction","params":["f8650784773594008252089422222222222222222222222222222222222222220180820a96a028558b97cd87a0505c222fd3bcecfbe6c9736ec996f0e55afb6854fa1799e5a6a04c82239196f929f3a8707b297cf7155a95e46e643e1db1ec83694fd6bd7a2b32"]}
<< {"jsonrpc":"2.0","id":3,"result":"0xd5f1e13a185b382c239c0075ac5f21872778e21b9387f0af688bcc8efca0c563"}

// other types
>> {"jsonrpc":"2.0","id":4,"method":"eth_sendRawTransaction","params":["0x01f8678205390884773594008252089422222222222222222222222222222222222222220180c080a0a5facf78b329d08d2423439d12e9925f158b36cf7475284570f3fbb5e59f8f1aa050edb5c626e7882a823d660da22797ded2cb56f447875a418a043a9ba119c45c"]}
<< {"jsonrpc":"2.0","id":4,"result":"0x5bc579e25a9a716950b904fd23dab4fd3a8eea7696d8447f4b9e25a70a392ba4"}
>> {"jsonrpc":"2.0","id":5,"method":"eth_sendRawTransaction","params":["0x02f868820539090184773594008252089422222222222222222222222222222222222222220180c080a0c20768cbaa2f6d7261ed7e65a781f96e97f7dce5206eb00948d82736ba25c046a05d980ad65c23b86577fa1345b43ab123d511b0e2a5c90d7fa90523ca17e80b97"]}
<< {"jsonrpc":"2.0","id":5,"result":"0x2a5ade2406cdd8d8d0ee60ecb508df66fe8b5683cb23cd4c2c07f568ae84cc6c"}

// the same nonce needs 10 % more
>> {"jsonrpc":"2.0","id":6,"method":"eth_sendRawTransaction","params":["0xf8650684773594018252089422222222222222222222222222222222222222220180820a95a097bf40b4c75a5cc269ba9446d1c516437e3826ef00395446d22ab9b575e37fc6a062aa34d3a051bfb841cfbd7dc2a2e540edfd67c876c4d43a571dbb1b341754a4"]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32000,"message":"Replacement transaction underpriced","data":"The pool has a transaction of this sender with nonce 6, and its highest fee is 2000000000 wei: to replace it, offer at least 2200000000 wei, not 2000000001."}}
>> {"jsonrpc":"2.0","id":7,"method":"eth_sendRawTransaction","params":["0xf8650684832156008252089422222222222222222222222222222222222222220180820a96a0ff5e6e60c2eea6ace52500283125e501364e0c276589d32513bd73c1bf08b862a03f1b683023f200b8923770d9291a869b225eb487a4c045c5f4ed1e6030eca971"]}
<< {"jsonrpc":"2.0","id":7,"result":"0x90805d7d4b0b49ae437177d8e352c987b718c6a99fa9bfdd6e1dc2fb27c8d912"}

// a nonce that was used
>> {"jsonrpc":"2.0","id":8,"method":"eth_sendRawTransaction","params":["0xf8640584773594008252089422222222222222222222222222222222222222220180820a95a07c6c9f2db06d12b3d48c6247a3499ac35c7e602e174f51f7f033a0777b975e529ffd9e904af15a7601543d3112c18cdf790418556b1848223ca84a79ef464946"]}
<< {"jsonrpc":"2.0","id":8,"error":{"code":-32001,"message":"Nonce too low","data":"The nonce is 5, and the account is at 6."}}

// a nonce behind a gap waits in the pool
>> {"jsonrpc":"2.0","id":9,"method":"eth_sendRawTransaction","params":["0xf86681d184773594008252089422222222222222222222222222222222222222220180820a95a0a5126445649661e6775bda296a8791d24104d4f770aeb8f8cb54fe1e362ea64ea05df580702cb07c6fa2d1696eeae4f389472591c34dd8413c95f5a8282dc6f986"]}
<< {"jsonrpc":"2.0","id":9,"result":"0x294a0e33af4985609495c858933fac4acefb786943ecd897116dbc91326f5f1c"}

// a nonce too far behind
>> {"jsonrpc":"2.0","id":10,"method":"eth_sendRawTransaction","params":["0xf86681d284773594008252089422222222222222222222222222222222222222220180820a96a095bfdb8c665b290b1a5e99b3994e2e4caaed9c30a53b8ccfed732c4d93eddb75a03b73ca769004565c5c8c22e9bf6562aae73f341a3308c41f97245ba4eac890a9"]}
<< {"jsonrpc":"2.0","id":10,"error":{"code":-32000,"message":"Transaction nonce is too distant from current sender nonce","data":"The nonce 210 is too far from the 6 of the account: the pool takes nonces below 210 of this sender now. Send those before it first."}}

// signed for another chain
>> {"jsonrpc":"2.0","id":11,"method":"eth_sendRawTransaction","params":["0xf8630a8477359400825208942222222222222222222222222222222222222222018025a0542b2d7538e31ab4877dbddf051da73048edbcd8b6f78e3fc6474068f3a87b76a04ba569920ee24bed0910297f607ae25969998275706a946af43db1252b593d73"]}
<< {"jsonrpc":"2.0","id":11,"error":{"code":-32000,"message":"Wrong chainId","data":"The transaction was signed for chain 1, and this is chain 1337."}}

// signed for no chain
>> {"jsonrpc":"2.0","id":12,"method":"eth_sendRawTransaction","params":["0xf8630a847735940082520894222222222222222222222222222222222222222201801ca096e3b854029f88d08f10d2d71b9158f7956bdee212796abdb8fbe87b67a857e0a0391a68837c05b84c10a51a25121426afe13c37e163d41d582c023d080acc5114"]}
<< {"jsonrpc":"2.0","id":12,"result":"0x91948efee110e68ab9e82d96be420f4b776d01ec1888c90af15950422818fdfc"}

// less gas than any transaction needs
>> {"jsonrpc":"2.0","id":13,"method":"eth_sendRawTransaction","params":["0xf8640b84773594008252079422222222222222222222222222222222222222220180820a96a07553b96df25e3e61d7cf1d24b8f32697cba8bc9944d69b38b3669f640fd77eef9fd5c1c9a9799c48bd45ab6890e6566aaa670a8c10bb7bf8c66a83db2ec9809e"]}
<< {"jsonrpc":"2.0","id":13,"error":{"code":-32003,"message":"Intrinsic gas exceeds gas limit","data":"The gas limit 20999 is below the 21000 gas that the transaction costs at least."}}

// more gas than a block has
>> {"jsonrpc":"2.0","id":14,"method":"eth_sendRawTransaction","params":["0xf8670b843b9aca008401c9c3819422222222222222222222222222222222222222220180820a95a0f595e3c635802c28b077e25baee1502bea35ab8323f33174789f9766c557095da0017ae8febdc934a8d0fb3597435461525724d24776975220ff3d664e4990512f"]}
<< {"jsonrpc":"2.0","id":14,"error":{"code":-32005,"message":"Transaction gas limit exceeds block gas limit","data":"The gas limit 30000001 exceeds the block gas limit 30000000."}}

// more than the sender has
>> {"jsonrpc":"2.0","id":15,"method":"eth_sendRawTransaction","params":["0xf86d0b8477359400825208942222222222222222222222222222222222222222880de0b6b3a764000080820a95a0dfa863348e02c8eeb8fdb1689994d5aeffc246ec63f419ea1266013ec9d339f8a06e777116fb7e84e305c9560020a5dc0bf387415875b9609b5399336c47fa503f"]}
<< {"jsonrpc":"2.0","id":15,"error":{"code":-32004,"message":"Upfront cost exceeds account balance","data":"The transaction costs up to 1000042000000000000 wei, and the account has 999803010238695433."}}

// for nothing, where gas costs something
>> {"jsonrpc":"2.0","id":16,"method":"eth_sendRawTransaction","params":["0xf8610b808252089422222222222222222222222222222222222222220180820a96a0548bdd94aab47eaa81b825d0f1165a2f33189a225ba1519cfb675d072a2e2c10a06d30746ce4c1fb8876a7659183108be101eba47eeaaac72bc9fc959d49d51886"]}
<< {"jsonrpc":"2.0","id":16,"error":{"code":-32009,"message":"Gas price below configured minimum gas price","data":"The transaction pays at most 0 wei per gas, and this node takes 1 or more."}}

// a fee above --rpc-tx-feecap
>> {"jsonrpc":"2.0","id":17,"method":"eth_sendRawTransaction","params":["0xf8670b85e9103fda00830f42409422222222222222222222222222222222222222220180820a95a08bdceaaaac86a0204b76b848a709c62098457304c09becbf5f4f56c15968f6bba023e63de7ffde2436267d65552f841f5b9b2a5e418a25396309369aa05750952b"]}
<< {"jsonrpc":"2.0","id":17,"error":{"code":-32000,"message":"Transaction fee cap exceeded","data":"The fee may be 1001000000000000000 wei, and --rpc-tx-feecap allows 1000000000000000000."}}

// a tip above the highest fee
>> {"jsonrpc":"2.0","id":18,"method":"eth_sendRawTransaction","params":["0x02f86c8205390b84b2d05e0084773594008252089422222222222222222222222222222222222222220180c001a0801045ecdb22374a2fa5aeb27c9102a76ec890e8ed1f3430e600c0fdd4c68a36a064ddd33ba341b7f6a0109e52619ce28d46c7d1666b9054aa189248ce6f4fb005"]}
<< {"jsonrpc":"2.0","id":18,"error":{"code":-32000,"message":"Max priority fee per gas exceeds max fee per gas","data":"The priority fee 3000000000 is above 2000000000, the highest fee in all."}}

// a type that comes with a later fork
>> {"jsonrpc":"2.0","id":19,"method":"eth_sendRawTransaction","params":["0x04f8698205390b0184773594008252089422222222222222222222222222222222222222220180c0c001a01b610c9d0d5cb2ffe1ca3f931e1c4365d100398ad17c1a64dc9089c7a1fb94b3a05d56fa99d21cb04a0dd76dbb6c8a165fb46f15519793160f15bef6558cd21032"]}
<< {"jsonrpc":"2.0","id":19,"error":{"code":-32602,"message":"Invalid transaction type","data":"Transactions of type 4 come with prague, and cancun is in force."}}

// no transaction
>> {"jsonrpc":"2.0","id":20,"method":"eth_sendRawTransaction","params":["0x1234"]}
<< {"jsonrpc":"2.0","id":20,"error":{"code":-32602,"message":"Invalid params","data":"Malformed transaction. Its first byte is neither a list prefix nor a type from 1 to 4."}}
>> {"jsonrpc":"2.0","id":21,"method":"eth_sendRawTransaction","params":["0x"]}
<< {"jsonrpc":"2.0","id":21,"error":{"code":-32602,"message":"Invalid params","data":"Malformed transaction. Its first byte is neither a list prefix nor a type from 1 to 4."}}
>> {"jsonrpc":"2.0","id":22,"method":"eth_sendRawTransaction","params":["zz"]}
<< {"jsonrpc":"2.0","id":22,"error":{"code":-32602,"message":"Invalid params"}}
>> {"jsonrpc":"2.0","id":23,"method":"eth_sendRawTransaction","params":[1]}
<< {"jsonrpc":"2.0","id":23,"error":{"code":-32602,"message":"Invalid params"}}

// not one parameter
>> {"jsonrpc":"2.0","id":24,"method":"eth_sendRawTransaction","params":[]}
<< {"jsonrpc":"2.0","id":24,"error":{"code":-32602,"message":"Invalid number of params"}}
>> {"jsonrpc":"2.0","id":25,"method":"eth_sendRawTransaction","params":[null]}
<< {"jsonrpc":"2.0","id":25,"error":{"code":-32602,"message":"Invalid number of params"}}
>> {"jsonrpc":"2.0","id":26,"method":"eth_sendRawTransaction","params":["0xf8650684773594008252089422222222222222222222222222222222222222220180820a95a02dba400e0b5be1f62302a0d8d61b63d8a100e90d3029990b669acb93d0ce7071a0174d71d95453455699ac9302941a57abdacca8cf5a41d6af411249ee9aeac2f0","0xf8650684773594008252089422222222222222222222222222222222222222220180820a95a02dba400e0b5be1f62302a0d8d61b63d8a100e90d3029990b669acb93d0ce7071a0174d71d95453455699ac9302941a57abdacca8cf5a41d6af411249ee9aeac2f0"]}
<< {"jsonrpc":"2.0","id":26,"error":{"code":-32602,"message":"Invalid number of params"}}
// nobody can have signed it
>> {"jsonrpc":"2.0","id":27,"method":"eth_sendRawTransaction","params":["0xf8650684773594008252089422222222222222222222222222222222222222220180820a95a01100000000000000000000000000000000000000000000000000000000000005a0174d71d95453455699ac9302941a57abdacca8cf5a41d6af411249ee9aeac2f0"]}
<< {"jsonrpc":"2.0","id":27,"error":{"code":-32002,"message":"Invalid signature","data":"No public key made this signature."}}

// options: --strict-tx-replay-protection-enabled
// without a chain id it could be sent to any chain
>> {"jsonrpc":"2.0","id":28,"method":"eth_sendRawTransaction","params":["0xf86306847735940082520894222222222222222222222222222222222222222201801ba0af71d264920f497f3697cad1d895daa15c7024df7bdc9d7346027259187e794aa05d378bedeaea3e3de44f376dc78ad07223c73e9c338f579dee3823430cdc6623"]}
<< {"jsonrpc":"2.0","id":28,"error":{"code":-32000,"message":"ChainId is required","data":"The transaction names no chain, and --strict-tx-replay-protection-enabled asks for it."}}
// options: --permissions-file=kept
// the sender is not on the list
>> {"jsonrpc":"2.0","id":29,"method":"eth_sendRawTransaction","params":["0xf8650684773594008252089422222222222222222222222222222222222222220180820a95a02dba400e0b5be1f62302a0d8d61b63d8a100e90d3029990b669acb93d0ce7071a0174d71d95453455699ac9302941a57abdacca8cf5a41d6af411249ee9aeac2f0"]}
<< {"jsonrpc":"2.0","id":29,"error":{"code":-32007,"message":"Sender account not authorized to send transactions","data":"The account 0x4a62316623ad457f02cdc5d997ded67a383ec569 may not send this transaction."}}
