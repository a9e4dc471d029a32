// not in a block within the time
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransactionSync","params":["0xf8650684773594008252089422222222222222222222222222222222222222220180820a95a02dba400e0b5be1f62302a0d8d61b63d8a100e90d3029990b669acb93d0ce7071a0174d71d95453455699ac9302941a57abdacca8cf5a41d6af411249ee9aeac2f0",20]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":4,"message":"The transaction was added to the pool but was not processed in time","data":"0xedf4cdbd347c44a24680d5c065e1213b9acf69d10b6abe4fb81067bc497e182c"}}

// refused like any other
>> {"jsonrpc":"2.0","id":2,"method":"eth_sendRawTransactionSync","params":["0xf8640584773594008252089422222222222222222222222222222222222222220180820a95a07c6c9f2db06d12b3d48c6247a3499ac35c7e602e174f51f7f033a0777b975e529ffd9e904af15a7601543d3112c18cdf790418556b1848223ca84a79ef464946"]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32001,"message":"Nonce too low","data":"The nonce is 5, and the account is at 6."}}
>> {"jsonrpc":"2.0","id":3,"method":"eth_sendRawTransactionSync","params":["0xf8650684773594008252089422222222222222222222222222222222222222220180820a95a02dba400e0b5be1f62302a0d8d61b63d8a100e90d3029990b669acb93d0ce7071a0174d71d95453455699ac9302941a57abdacca8cf5a41d6af411249ee9aeac2f0"]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"Known transaction","data":"The transaction is in the pool already."}}

// no transaction
>> {"jsonrpc":"2.0","id":4,"method":"eth_sendRawTransactionSync","params":["0x1234"]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Invalid params","data":"Malformed transaction. Its first byte is neither a list prefix nor a type from 1 to 4."}}
>> {"jsonrpc":"2.0","id":5,"method":"eth_sendRawTransactionSync","params":[]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid transaction params (missing or incorrect)"}}

// no time
>> {"jsonrpc":"2.0","id":6,"method":"eth_sendRawTransactionSync","params":["0xf8650784773594008252089422222222222222222222222222222222222222220180820a96a028558b97cd87a0505c222fd3bcecfbe6c9736ec996f0e55afb6854fa1799e5a6a04c82239196f929f3a8707b297cf7155a95e46e643e1db1ec83694fd6bd7a2b32",0]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"Invalid params"}}
>> {"jsonrpc":"2.0","id":7,"method":"eth_sendRawTransactionSync","params":["0xf8650784773594008252089422222222222222222222222222222222222222220180820a96a028558b97cd87a0505c222fd3bcecfbe6c9736ec996f0e55afb6854fa1799e5a6a04c82239196f929f3a8707b297cf7155a95e46e643e1db1ec83694fd6bd7a2b32","5"]}
<< {"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"Invalid params"}}
