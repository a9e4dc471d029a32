// made first
>> {"jsonrpc":"2.0","id":1,"method":"eth_newFilter","params":[{"fromBlock":"0x0"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0xa087eaf300b349c98706c4ebfb2627fd"}
// nothing is new since the filter was made
>> {"jsonrpc":"2.0","id":2,"method":"eth_getFilterChanges","params":["0xa087eaf300b349c98706c4ebfb2627fd"]}
<< {"jsonrpc":"2.0","id":2,"result":[]}
// made first
>> {"jsonrpc":"2.0","id":3,"method":"eth_newBlockFilter","params":[]}
<< {"jsonrpc":"2.0","id":3,"result":"0xf7e79d2b47f666309ce301f0b8829f5c"}
// no new blocks
>> {"jsonrpc":"2.0","id":4,"method":"eth_getFilterChanges","params":["0xf7e79d2b47f666309ce301f0b8829f5c"]}
<< {"jsonrpc":"2.0","id":4,"result":[]}
// made first
>> {"jsonrpc":"2.0","id":5,"method":"eth_newPendingTransactionFilter","params":[]}
<< {"jsonrpc":"2.0","id":5,"result":"0x6d010770feacb771748ca60a7d213b2e"}
// nothing is pending
>> {"jsonrpc":"2.0","id":6,"method":"eth_getFilterChanges","params":["0x6d010770feacb771748ca60a7d213b2e"]}
<< {"jsonrpc":"2.0","id":6,"result":[]}
// no such filter
>> {"jsonrpc":"2.0","id":7,"method":"eth_getFilterChanges","params":["0x1"]}
<< {"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"Filter not found"}}
// no id
>> {"jsonrpc":"2.0","id":8,"method":"eth_getFilterChanges","params":[]}
<< {"jsonrpc":"2.0","id":8,"error":{"code":-32602,"message":"Invalid filter params"}}

// options: --network-id=1337

// a filter hears of transactions that come after it was made, once
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["0xf8650684773594008252089422222222222222222222222222222222222222220180820a95a02dba400e0b5be1f62302a0d8d61b63d8a100e90d3029990b669acb93d0ce7071a0174d71d95453455699ac9302941a57abdacca8cf5a41d6af411249ee9aeac2f0"]}
<< {"jsonrpc":"2.0","id":1,"result":"0xedf4cdbd347c44a24680d5c065e1213b9acf69d10b6abe4fb81067bc497e182c"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_newPendingTransactionFilter","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":"0xa087eaf300b349c98706c4ebfb2627fd"}
>> {"jsonrpc":"2.0","id":3,"method":"eth_sendRawTransaction","params":["0x02f85e82053907843b9aca0084b2d05e00830186a080808560006000f3c080a026a3df0aa9ba292465a55b3843f4dea5badf54c3cc85878f6d7f49f441a07c0ba051893f3f871fe7a05d8dbd64745e9159d5f4a0f4c8b0cfdfadc55245be5f2195"]}
<< {"jsonrpc":"2.0","id":3,"result":"0x647559973e6cf2a342e24a6bae151e8bb90050cc7d7053424a6b2e749872e20a"}
>> {"jsonrpc":"2.0","id":4,"method":"eth_sendRawTransaction","params":["0xf8650984773594008252089422222222222222222222222222222222222222220180820a96a061a1a2ce028837268ee01f75bc58703190a7f53b6a3cec32e183dfeb10255c28a049793ca1f7c33a360be1dfb651086cfc8b3ef020fbbfac1ae82f4b2644486e41"]}
<< {"jsonrpc":"2.0","id":4,"result":"0x85713a7a4b42dac6a1905b44b59fbd77eed7595942240847a8979dbbf9250360"}
>> {"jsonrpc":"2.0","id":5,"method":"eth_getFilterChanges","params":["0xa087eaf300b349c98706c4ebfb2627fd"]}
<< {"jsonrpc":"2.0","id":5,"result":["0x647559973e6cf2a342e24a6bae151e8bb90050cc7d7053424a6b2e749872e20a","0x85713a7a4b42dac6a1905b44b59fbd77eed7595942240847a8979dbbf9250360"]}
>> {"jsonrpc":"2.0","id":6,"method":"eth_getFilterChanges","params":["0xa087eaf300b349c98706c4ebfb2627fd"]}
<< {"jsonrpc":"2.0","id":6,"result":[]}
