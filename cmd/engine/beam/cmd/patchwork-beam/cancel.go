package main

import (
	"context"
	"fmt"
	"time"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// cancelJob asks the server to cancel a job, so that it does not go on without
// anything waiting for it, and returns the outcome as text.
func cancelJob(name string) string {
	if err := tryCancel(name); err != nil {
		return fmt.Sprintf("it may still be on the server %s: %v", *jobopts.Endpoint, err)
	}
	return "it was cancelled"
}

func tryCancel(name string) error {
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Second)
	defer stop()
	conn, err := grpc.NewClient(*jobopts.Endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer conn.Close()
	client := jobpb.NewJobServiceClient(conn)
	jobs, err := client.GetJobs(ctx, &jobpb.GetJobsRequest{})
	if err != nil {
		return err
	}
	for _, job := range jobs.GetJobInfo() {
		if job.GetJobName() == name {
			_, err := client.Cancel(ctx, &jobpb.CancelJobRequest{JobId: job.GetJobId()})
			return err
		}
	}
	return nil // it never reached the server
}
