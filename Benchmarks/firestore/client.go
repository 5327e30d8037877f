// Sets and gets documents over gRPC on four connections, with one call and with 64 calls in flight, and queries 10,000
// documents: client HOST:PORT simple|queries prints the figures as JSON, and counts no answer but the right one.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	pb "google.golang.org/genproto/googleapis/firestore/v1"
	"google.golang.org/grpc"
)

const (
	connections = 4
	measured    = 3 * time.Second
	database    = "projects/demo-test/databases/(default)"
	root        = database + "/documents"
	documents   = 10_000
	groups      = 100
	repetitions = 15
)

func main() {
	clients := make([]pb.FirestoreClient, connections)
	for n := range clients {
		connection, err := grpc.Dial(os.Args[1], grpc.WithInsecure(), grpc.WithBlock(), grpc.WithTimeout(10*time.Second))
		check(err)
		clients[n] = pb.NewFirestoreClient(connection)
	}
	figures := map[string]float64{}
	switch os.Args[2] {
	case "simple":
		for _, inFlight := range []int{1, 64} {
			figures[fmt.Sprintf("Go, %d in flight: set", inFlight)] = rate(inFlight, clients, set)
			figures[fmt.Sprintf("Go, %d in flight: get", inFlight)] = rate(inFlight, clients, get)
		}
	case "queries":
		queries(clients[0], figures)
	}
	check(json.NewEncoder(os.Stdout).Encode(figures))
}

// rate calls from so many goroutines, and returns the calls a second.
func rate(inFlight int, clients []pb.FirestoreClient, call func(pb.FirestoreClient, string, int64) error) float64 {
	var calls int64
	var running sync.WaitGroup
	start := time.Now()
	for n := 0; n < inFlight; n++ {
		running.Add(1)
		go func(n int) {
			defer running.Done()
			name := fmt.Sprintf("%s/documents/go/%d", database, n)
			for time.Since(start) < measured {
				check(call(clients[n%connections], name, time.Now().UnixNano()))
				atomic.AddInt64(&calls, 1)
			}
		}(n)
	}
	running.Wait()
	return float64(calls) / time.Since(start).Seconds()
}

func set(client pb.FirestoreClient, name string, number int64) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	fields := map[string]*pb.Value{"n": {ValueType: &pb.Value_IntegerValue{IntegerValue: number}}}
	write := &pb.Write{Operation: &pb.Write_Update{Update: &pb.Document{Name: name, Fields: fields}}}
	_, err := client.Commit(ctx, &pb.CommitRequest{Database: database, Writes: []*pb.Write{write}})
	return err
}

func get(client pb.FirestoreClient, name string, _ int64) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	answers, err := client.BatchGetDocuments(ctx, &pb.BatchGetDocumentsRequest{Database: database, Documents: []string{name}})
	if err != nil {
		return err
	}
	answer, err := answers.Recv()
	if err == nil && answer.GetFound() == nil {
		return fmt.Errorf("%s is missing", name)
	}
	return err
}

// queries measures the 10,000 documents of the other client, and 100 of them by a filter, without and with an index that
// was declared: medians of some repetitions.
func queries(client pb.FirestoreClient, figures map[string]float64) {
	var firsts, all, filtered, indexed []float64
	for n := 0; n < repetitions; n++ {
		start := time.Now()
		first, found := run(client, query("many"))
		firsts, all = append(firsts, milliseconds(first)), append(all, documents/time.Since(start).Seconds())
		start = time.Now()
		_, part := run(client, groupQuery("many", int64(n)))
		filtered = append(filtered, milliseconds(time.Since(start)))
		start = time.Now()
		_, other := run(client, groupQuery("indexed", int64(n)))
		indexed = append(indexed, milliseconds(time.Since(start)))
		if found != documents || part != documents/groups || other != part {
			check(fmt.Errorf("wrong results: %d, %d, %d", found, part, other))
		}
	}
	figures["10,000 documents: first"], figures["10,000 documents: all"] = median(firsts), median(all)
	figures["100 of them by a filter"] = median(filtered)
	figures["100 of as many, indexed"] = median(indexed)
}

func query(collection string) *pb.StructuredQuery {
	return &pb.StructuredQuery{From: []*pb.StructuredQuery_CollectionSelector{{CollectionId: collection}}}
}

func groupQuery(collection string, number int64) *pb.StructuredQuery {
	query := query(collection)
	query.Where = &pb.StructuredQuery_Filter{FilterType: &pb.StructuredQuery_Filter_FieldFilter{
		FieldFilter: &pb.StructuredQuery_FieldFilter{
			Field: &pb.StructuredQuery_FieldReference{FieldPath: "group"},
			Op:    pb.StructuredQuery_FieldFilter_EQUAL, Value: &pb.Value{ValueType: &pb.Value_IntegerValue{IntegerValue: number}},
		}}}
	return query
}

// run returns the time to the first document, and how many there were.
func run(client pb.FirestoreClient, query *pb.StructuredQuery) (first time.Duration, found int) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	start := time.Now()
	answers, err := client.RunQuery(ctx, &pb.RunQueryRequest{
		Parent: root, QueryType: &pb.RunQueryRequest_StructuredQuery{StructuredQuery: query}})
	check(err)
	for {
		answer, err := answers.Recv()
		if err == io.EOF {
			return first, found
		}
		check(err)
		if answer.Document != nil {
			if found == 0 {
				first = time.Since(start)
			}
			found++
		}
	}
}

func milliseconds(duration time.Duration) float64 { return duration.Seconds() * 1e3 }

func median(values []float64) float64 {
	sort.Float64s(values)
	return values[len(values)/2]
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
