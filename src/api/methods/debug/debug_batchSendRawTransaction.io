// each on its own
>> {"jsonrpc":"2.0","id":1,"method":"debug_batchSendRawTransaction","params":["0xf8650684773594008252089422222222222222222222222222222222222222220180820a95a02dba400e0b5be1f62302a0d8d61b63d8a100e90d3029990b669acb93d0ce7071a0174d71d95453455699ac9302941a57abdacca8cf5a41d6af411249ee9aeac2f0","0xf8650784773594008252089422222222222222222222222222222222222222220180820a96a028558b97cd87a0505c222fd3bcecfbe6c9736ec996f0e55afb6854fa1799e5a6a04c82239196f929f3a8707b297cf7155a95e46e643e1db1ec83694fd6bd7a2b32","0xf8650684773594008252089422222222222222222222222222222222222222220180820a95a02dba400e0b5be1f62302a0d8d61b63d8a100e90d3029990b669acb93d0ce7071a0174d71d95453455699ac9302941a57abdacca8cf5a41d6af411249ee9aeac2f0","0xf8640584773594008252089422222222222222222222222222222222222222220180820a95a07c6c9f2db06d12b3d48c6247a3499ac35c7e602e174f51f7f033a0777b975e529ffd9e904af15a7601543d3112c18cdf790418556b1848223ca84a79ef464946","0xf863088477359400825208942222222222222222222222222222222222222222018025a0c2ce1d4661c34d7cd55b74473a32aa93ced3c79cfcb76f37e46958dfc9079da5a047ace779f3e818817b17eec82ca9e5c3af096a8d52de388868db4d9f10aa1ac7"]}
<< {"jsonrpc":"2.0","id":1,"result":[{"index":0,"success":true},{"index":1,"success":true},{"index":2,"success":false,"errorMessage":"TRANSACTION_ALREADY_KNOWN"},{"index":3,"success":false,"errorMessage":"NONCE_TOO_LOW"},{"index":4,"success":false,"errorMessage":"WRONG_CHAIN_ID"}]}

// no hex, and no transaction
>> {"jsonrpc":"2.0","id":2,"method":"debug_batchSendRawTransaction","params":["0x416","zXDf","0x1234","0xc0"]}
<< {"jsonrpc":"2.0","id":2,"result":[{"index":0,"success":false,"errorMessage":"Invalid raw transaction hex"},{"index":1,"success":false,"errorMessage":"Invalid raw transaction hex"},{"index":2,"success":false,"errorMessage":"Invalid raw transaction hex"},{"index":3,"success":false,"errorMessage":"Invalid RLP in raw transaction hex"}]}

// none
>> {"jsonrpc":"2.0","id":3,"method":"debug_batchSendRawTransaction","params":[]}
<< {"jsonrpc":"2.0","id":3,"result":[]}

// no text
>> {"jsonrpc":"2.0","id":4,"method":"debug_batchSendRawTransaction","params":[1]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Invalid params"}}
