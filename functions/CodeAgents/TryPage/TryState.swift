/// The part that the page's script and its service worker share: the state that the browser keeps, and the calls of
/// the gateway.
///
/// The state is in IndexedDB, the only storage that a worker can use: the pairings with their credentials, the newest
/// messages, and facts by name. The names `base`, the path of the page, and `key`, that of the public key's fact, are
/// the page's and the worker's own.
enum TryState {
    static let text = #"""
        const open = () => new Promise((resolve, reject) => {
          const request = indexedDB.open("pushgate-try", 1);
          request.onupgradeneeded = () => {
            request.result.createObjectStore("pairings", { keyPath: "installation_id" });
            request.result.createObjectStore("messages", { keyPath: "id", autoIncrement: true });
            request.result.createObjectStore("facts");
          };
          request.onsuccess = () => resolve(request.result);
          request.onerror = () => reject(request.error);
        });
        const run = async (name, mode, work) => {
          const database = await open();
          try {
            return await new Promise((resolve, reject) => {
              const transaction = database.transaction(name, mode);
              const request = work(transaction.objectStore(name));
              transaction.oncomplete = () => resolve(request.result);
              transaction.onabort = () => reject(transaction.error);
            });
          } finally {
            database.close();
          }
        };
        const pairings = () => run("pairings", "readonly", store => store.getAll());
        const keepPairing = pairing => run("pairings", "readwrite", store => store.put(pairing));
        const dropPairing = pairing => run("pairings", "readwrite", store => store.delete(pairing.installation_id));
        const messages = () => run("messages", "readonly", store => store.getAll());
        const clearMessages = () => run("messages", "readwrite", store => store.clear());
        const keepMessage = async message => {
          const id = await run("messages", "readwrite", store => store.add(message));
          await run("messages", "readwrite", store => store.delete(IDBKeyRange.upperBound(id - 50)));
        };
        const fact = name => run("facts", "readonly", store => store.get(name));
        const keepFact = (name, value) => run("facts", "readwrite", store => store.put(value, name));

        const call = async (method, path, body, credential) => {
          const headers = {};
          if (body) headers["Content-Type"] = "application/json";
          if (credential) headers.Authorization = `Bearer ${credential}`;
          const answer = await fetch(base + path, { method, headers, body: body && JSON.stringify(body) });
          const content = await answer.json().catch(() => ({}));
          if (answer.ok) return content;
          const code = typeof content.error === "string" ? content.error : content.error?.status;
          const text = content.message ?? content.error?.message ?? `the gateway answered ${answer.status} ${code ?? ""}`;
          throw Object.assign(new Error(text), { status: answer.status, code });
        };
        // Gives the gateway the subscription of this browser. A pairing that it does not know any more is dropped; one
        // that it refuses for another reason does not keep the others from it.
        const renew = async subscription => {
          let failure = null;
          for (const pairing of await pairings()) {
            try {
              await call("PUT", "/subscription", { web_push: subscription, receipts: true }, pairing.credential);
            } catch (error) {
              // A proxy may have its own reasons to answer 401.
              if (error.code === "unauthorized") await dropPairing(pairing);
              else failure ??= error;
            }
          }
          if (failure) throw failure;
          await keepFact("renewedAt", Date.now());
        };
        """#
}
