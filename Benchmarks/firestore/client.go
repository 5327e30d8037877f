// Sets and gets documents over gRPC on four connections, with one call and with 64 calls in flight:
// client HOST:PORT prints the calls a second as JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
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
)

func main() {
	clients := make([]pb.FirestoreClient, connections)
	for n := range clients {
		connection, err := grpc.Dial(os.Args[1], grpc.WithInsecure(), grpc.WithBlock(), grpc.WithTimeout(10*time.Second))
		check(err)
		clients[n] = pb.NewFirestoreClient(connection)
	}
	figures := map[string]float64{}
	for _, inFlight := range []int{1, 64} {
		figures[fmt.Sprintf("Go, %d in flight: set", inFlight)] = rate(inFlight, clients, set)
		figures[fmt.Sprintf("Go, %d in flight: get", inFlight)] = rate(inFlight, clients, get)
	}
	check(json.NewEncoder(os.Stdout).Encode(figures))
}

// rate calls from so many goroutines, and returns the calls a second.
func rate(inFlight int, clients []pb.FirestoreClient, call func(pb.FirestoreClient, string, int64) error) float64 {
	var calls int64
	var group sync.WaitGroup
	start := time.Now()
	for n := 0; n < inFlight; n++ {
		group.Add(1)
		go func(n int) {
			defer group.Done()
			name := fmt.Sprintf("%s/documents/go/%d", database, n)
			for time.Since(start) < measured {
				check(call(clients[n%connections], name, time.Now().UnixNano()))
				atomic.AddInt64(&calls, 1)
			}
		}(n)
	}
	group.Wait()
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

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
