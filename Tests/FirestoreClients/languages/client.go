// A program that uses Go's Firestore client as Debian has it. It knows the server by FIRESTORE_EMULATOR_HOST alone, and
// prints a line for each step that was right.
package main

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/iterator"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const adders, additions = 4, 10

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	client, err := firestore.NewClient(ctx, os.Getenv("GCLOUD_PROJECT"))
	check("connect", err)
	defer client.Close()
	cities := client.Collection(fmt.Sprintf("go-%d", time.Now().UnixNano()))

	set(ctx, cities)
	update(ctx, cities)
	query(ctx, cities)
	list(ctx, client, cities)
	batch(ctx, client, cities)
	listen(ctx, cities)
	transact(ctx, client, cities)
	remove(ctx, cities)
}

func set(ctx context.Context, cities *firestore.CollectionRef) {
	_, err := cities.Doc("Ulm").Create(ctx, map[string]interface{}{"name": "Ulm", "people": 126000, "tags": []string{"a"}})
	check("create", err)
	_, err = cities.Doc("Ulm").Create(ctx, map[string]interface{}{})
	expect("create again", status.Code(err) == codes.AlreadyExists, err)
	_, err = cities.Doc("Bonn").Set(ctx, map[string]interface{}{"name": "Bonn", "people": 330000})
	check("set", err)
	read, err := cities.Doc("Ulm").Get(ctx)
	check("get", err)
	expect("value", read.Data()["people"] == int64(126000), read.Data())
	_, err = cities.Doc("missing").Get(ctx)
	expect("get of nothing", status.Code(err) == codes.NotFound, err)
	fmt.Println("ok set and get")
}

func update(ctx context.Context, cities *firestore.CollectionRef) {
	_, err := cities.Doc("Ulm").Update(ctx, []firestore.Update{
		{Path: "people", Value: firestore.Increment(500)},
		{Path: "tags", Value: firestore.ArrayUnion("a", "b")},
		{Path: "seen", Value: firestore.ServerTimestamp},
	})
	check("update", err)
	read, err := cities.Doc("Ulm").Get(ctx)
	check("get after update", err)
	expect("increment", read.Data()["people"] == int64(126500), read.Data())
	expect("union", len(read.Data()["tags"].([]interface{})) == 2, read.Data())
	seen, isTime := read.Data()["seen"].(time.Time)
	expect("server time", isTime && time.Since(seen) < time.Minute, read.Data())
	_, err = cities.Doc("missing").Update(ctx, []firestore.Update{{Path: "a", Value: 1}})
	expect("update of nothing", status.Code(err) == codes.NotFound, err)
	fmt.Println("ok update and transform")
}

func query(ctx context.Context, cities *firestore.CollectionRef) {
	found, err := cities.Where("people", ">", 200000).OrderBy("people", firestore.Desc).Documents(ctx).GetAll()
	check("query", err)
	expect("results", len(found) == 1 && found[0].Ref.ID == "Bonn", len(found))
	found, err = cities.OrderBy("name", firestore.Asc).StartAfter("Bonn").Limit(5).Documents(ctx).GetAll()
	check("query with a cursor", err)
	expect("results after the cursor", len(found) == 1 && found[0].Ref.ID == "Ulm", len(found))
	found, err = cities.Where("tags", "array-contains", "b").Select("name").Documents(ctx).GetAll()
	check("query with a projection", err)
	expect("projection", len(found) == 1 && len(found[0].Data()) == 1, len(found))
	fmt.Println("ok query")
}

func list(ctx context.Context, client *firestore.Client, cities *firestore.CollectionRef) {
	_, err := cities.Doc("nowhere").Collection("districts").Doc("one").Set(ctx, map[string]interface{}{"n": 1})
	check("set below a missing document", err)
	references, err := cities.DocumentRefs(ctx).GetAll()
	check("list documents", err)
	expect("documents with the missing one", len(references) == 3, len(references))
	collections, err := cities.Doc("nowhere").Collections(ctx).GetAll()
	check("list collections", err)
	expect("collections", len(collections) == 1 && collections[0].ID == "districts", len(collections))
	all, err := client.GetAll(ctx, []*firestore.DocumentRef{cities.Doc("Ulm"), cities.Doc("missing")})
	check("get all", err)
	expect("found and missing", all[0].Exists() && !all[1].Exists(), all)
	fmt.Println("ok lists")
}

func batch(ctx context.Context, client *firestore.Client, cities *firestore.CollectionRef) {
	writes := client.Batch()
	for n := 0; n < 20; n++ {
		writes.Set(cities.Doc(fmt.Sprintf("n%02d", n)), map[string]interface{}{"n": n})
	}
	results, err := writes.Commit(ctx)
	check("batch", err)
	expect("results of the batch", len(results) == 20, len(results))
	iterated, count := cities.Where("n", ">=", 10).Documents(ctx), 0
	for {
		_, err := iterated.Next()
		if err == iterator.Done {
			break
		}
		check("iterate", err)
		count++
	}
	expect("documents of the batch", count == 10, count)
	fmt.Println("ok batch")
}

func listen(ctx context.Context, cities *firestore.CollectionRef) {
	snapshots := cities.Where("heard", "==", true).Snapshots(ctx)
	defer snapshots.Stop()
	first, err := snapshots.Next()
	check("listen", err)
	expect("nothing at first", first.Size == 0, first.Size)
	_, err = cities.Doc("loud").Set(ctx, map[string]interface{}{"heard": true})
	check("set for the listener", err)
	second, err := snapshots.Next()
	check("next snapshot", err)
	expect("one was added", second.Size == 1 && len(second.Changes) == 1, second.Changes)
	expect("kind of change", second.Changes[0].Kind == firestore.DocumentAdded, second.Changes[0].Kind)
	_, err = cities.Doc("loud").Delete(ctx)
	check("delete for the listener", err)
	third, err := snapshots.Next()
	check("last snapshot", err)
	expect("one was removed", third.Size == 0 && third.Changes[0].Kind == firestore.DocumentRemoved, third.Changes)
	fmt.Println("ok listen")
}

func transact(ctx context.Context, client *firestore.Client, cities *firestore.CollectionRef) {
	counter := cities.Doc("counter")
	_, err := counter.Set(ctx, map[string]interface{}{"n": 0})
	check("set the counter", err)
	var group sync.WaitGroup
	failures := make(chan error, adders*additions)
	for adder := 0; adder < adders; adder++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for n := 0; n < additions; n++ {
				if err := add(ctx, client, counter); err != nil {
					failures <- err
				}
			}
		}()
	}
	group.Wait()
	close(failures)
	check("transactions", <-failures)
	read, err := counter.Get(ctx)
	check("get the counter", err)
	expect("every addition", read.Data()["n"] == int64(adders*additions), read.Data())
	fmt.Println("ok transactions")
}

func add(ctx context.Context, client *firestore.Client, counter *firestore.DocumentRef) error {
	return client.RunTransaction(ctx, func(ctx context.Context, transaction *firestore.Transaction) error {
		read, err := transaction.Get(counter)
		if err != nil {
			return err
		}
		return transaction.Set(counter, map[string]interface{}{"n": read.Data()["n"].(int64) + 1})
	}, firestore.MaxAttempts(50))
}

func remove(ctx context.Context, cities *firestore.CollectionRef) {
	_, err := cities.Doc("Ulm").Delete(ctx)
	check("delete", err)
	_, err = cities.Doc("Ulm").Delete(ctx, firestore.Exists)
	expect("delete of nothing", status.Code(err) == codes.NotFound, err)
	fmt.Println("ok delete")
}

func check(step string, err error) {
	expect(step, err == nil, err)
}

func expect(step string, isRight bool, seen interface{}) {
	if !isRight {
		fmt.Fprintf(os.Stderr, "%s: %v\n", step, seen)
		os.Exit(1)
	}
}
