// a node with a full disk
>> {"jsonrpc":"2.0","id":1,"method":"admin_doctor","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":{"at":"1970-01-01T00:00:00.000Z","checks":29,"findings":[{"id":"disk-space","severity":"error","problem":"0.2 GiB are free on the disk of /data.","remedy":"Free space or enlarge the disk: a node stops when it cannot write its next block."}]}}
